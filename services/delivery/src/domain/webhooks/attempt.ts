import { retryAfterMs, type Schedule } from './schedule';

export type AttemptOutcome =
  | 'succeeded'
  | 'status'
  | 'redirected'
  | 'timeout'
  | 'unreachable'
  | 'address_refused'
  | 'invalid_response'
  | 'response_too_large';

/** How one attempt went. */
export interface Attempt {
  readonly outcome: AttemptOutcome;
  /** What the network said, as a code: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
  readonly error: string | null;
  readonly durationMs: number;
  readonly response:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
    | undefined;
}

/** What becomes of a delivery, and of its endpoint, after an attempt. */
export type Verdict =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'retry'; readonly at: Date; readonly holdUntil?: Date }
  | { readonly kind: 'failed'; readonly reason: string; readonly disable?: 'gone' };

const gone = 410;
const overloadStatuses: ReadonlySet<number> = new Set([429, 503]);

/** @param attempts how many there were with this one */
export function judgeAttempt(
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
  return { kind: 'retry', at, holdUntil: new Date(now.getTime() + waitMs) };
}

/** An endpoint whose every attempt has failed for so long is disabled. */
export const failingMaxMs = 5 * 24 * 60 * 60_000;

export function hasFailedForTooLong(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= failingMaxMs;
}
