/** Pauses between the attempts of one delivery, in milliseconds: after the last one it has failed. */
export const retryPausesMs: readonly number[] = [30_000, 5 * 60_000, 30 * 60_000, 2 * 60 * 60_000];

export const attemptsMax = retryPausesMs.length + 1;

/**
 * When to try again after so many attempts; undefined when it was the last.
 * @param retryAfterMs for which the other side has asked
 */
export function nextAttemptAt(attempts: number, now: Date, retryAfterMs = 0): Date | undefined {
  const pauseMs = retryPausesMs[attempts - 1];
  return pauseMs === undefined ? undefined : new Date(now.getTime() + Math.max(pauseMs, retryAfterMs));
}
