import 'mongodb';

declare module 'mongodb' {
  interface OperationOptions {
    /** The driver also respects a signal for writes, although its types declare it only for reads. */
    signal?: AbortSignal | undefined;
  }
}
