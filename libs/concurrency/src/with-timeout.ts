/**
 * A signal that follows another signal, and aborts after a timeout. `AbortSignal.any` alone is not sufficient: it
 * references its sources weakly, and a timeout without other references is garbage-collected and never aborts (Node
 * 20).
 */
export function withTimeout(signal: AbortSignal, ms: number): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // Node.js does not garbage-collect a signal that has listeners.
  timeout.addEventListener('abort', () => {}, { once: true });
  return AbortSignal.any([signal, timeout]);
}
