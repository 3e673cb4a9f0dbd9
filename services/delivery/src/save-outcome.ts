import { pause } from '@receipts/concurrency';

/** The pause before the outcome is saved again when the database has failed. */
const savePauseMs = 1_000;

/**
 * Saves the outcome of an attempt, and retries the write while the claim lasts. Only this process knows whether the
 * message was sent; any later attempt would have to treat the outcome as unknown.
 * @param limitMs how long to retry; asked each time, because it is shorter once the service stops
 */
export async function saveOutcome<T>(write: () => Promise<T>, limitMs: () => number): Promise<T> {
  const begunAt = performance.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (performance.now() - begunAt > limitMs()) throw error;
      await pause(savePauseMs);
    }
  }
}
