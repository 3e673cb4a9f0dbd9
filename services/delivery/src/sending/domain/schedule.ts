/** The time limit for sending an e-mail, even to a slow mail server. */
export const sendTimeoutMs = 60_000;
/**
 * After this time the claim of a crashed process is released: late enough that no message is resent while it is still
 * being sent.
 */
export const claimMs = 2 * sendTimeoutMs;

/** Pauses between the attempts of a delivery, in milliseconds. After the last attempt, the delivery has failed. */
export const retryPausesMs: readonly number[] = [30_000, 5 * 60_000, 30 * 60_000, 2 * 60 * 60_000];

export const attemptsMax = retryPausesMs.length + 1;

/**
 * When to retry after this number of attempts; undefined after the last attempt. @param retryAfterMs the pause that the
 * provider has requested
 */
export function nextAttemptAt(attempts: number, now: Date, retryAfterMs = 0): Date | undefined {
  const pauseMs = retryPausesMs[attempts - 1];
  return pauseMs === undefined ? undefined : new Date(now.getTime() + Math.max(pauseMs, retryAfterMs));
}
