import { retryAfterMs } from '../../domain/retry-after';
import type { Schedule } from './schedule';

export type AttemptOutcome =
  | 'succeeded'
  | 'status'
  | 'redirected'
  | 'timeout'
  | 'unreachable'
  | 'address_refused'
  | 'invalid_response';

/** The result of one attempt. */
export interface Attempt {
  readonly outcome: AttemptOutcome;
  /** The code of a network error, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly error: string | null;
  readonly durationMs: number;
  readonly response:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
    | undefined;
}

/** The consequences of an attempt for the delivery and its endpoint. */
export type Verdict =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'retry'; readonly at: Date; readonly pausedUntil?: Date }
  | { readonly kind: 'failed'; readonly reason: string; readonly disable?: 'gone' };

const gone = 410;
const overloadStatuses: ReadonlySet<number> = new Set([429, 503]);

/** @param attempts the number of attempts including this one */
export function verdictOf(
  { outcome, response }: Attempt,
  attempts: number,
  schedule: Schedule,
  now: Date,
): Verdict {
  if (outcome === 'succeeded') return { kind: 'succeeded' };
  if (response?.status === gone) return { kind: 'failed', reason: 'gone', disable: 'gone' };
  const isOverloaded = response !== undefined && overloadStatuses.has(response.status);
  const waitMs = isOverloaded ? retryAfterMs(response.headers['retry-after'], now) : undefined;
  const at = schedule.nextAt(attempts, now, waitMs);
  if (!at) return { kind: 'failed', reason: 'attempts_exhausted' };
  if (waitMs === undefined || waitMs === 0) return { kind: 'retry', at };
  return { kind: 'retry', at, pausedUntil: new Date(now.getTime() + waitMs) };
}

/** An endpoint is disabled when all attempts have failed for this long. */
export const failingMaxMs = 5 * 24 * 60 * 60_000;

export function hasFailedForTooLong(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= failingMaxMs;
}
