import 'mongodb';

declare module 'mongodb' {
  interface OperationOptions {
    /** The driver honours a signal for writes as well, though its types name it for reads only. */
    signal?: AbortSignal | undefined;
  }
}
