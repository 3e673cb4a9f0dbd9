import { retryAfterMaxMs } from '../../domain/retry-after';

/**
 * Each pause is extended randomly by up to this fraction, so that deliveries that failed together are not retried
 * together.
 */
const jitterShare = 0.1;

export interface Schedule {
  /** When to retry after this number of attempts; undefined after the last attempt. */
  nextAt(attempts: number, now: Date, retryAfterMs: number | undefined): Date | undefined;
}

/**
 * @param pausesSeconds after the first failed attempt, the second, and so on
 * @param random 0 to 1
 */
export function schedule(pausesSeconds: readonly number[], random: () => number): Schedule {
  return {
    nextAt(attempts, now, retryAfterMs = 0) {
      const pauseSeconds = pausesSeconds[attempts - 1];
      if (pauseSeconds === undefined) return undefined;
      const pauseMs = pauseSeconds * 1_000 * (1 + random() * jitterShare);
      return new Date(now.getTime() + Math.max(pauseMs, Math.min(retryAfterMs, retryAfterMaxMs)));
    },
  };
}
