import 'mongodb';

declare module 'mongodb' {
  interface OperationOptions {
    /** The driver honours a signal for writes as well, although its types declare it for reads only. */
    signal?: AbortSignal | undefined;
  }
}
