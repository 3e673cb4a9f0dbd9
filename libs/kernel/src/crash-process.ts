/**
 * Throws an uncaught error: the host shuts down in order and exits with 1, and the supervisor restarts the process.
 */
export function crashProcess(reason: Error): void {
  setImmediate(() => {
    throw reason;
  });
}
