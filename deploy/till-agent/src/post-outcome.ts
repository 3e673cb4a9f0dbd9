import type { PlatformAnswer } from './platform-client';

export type PostOutcome =
  /** The platform has the job. `location` is where its receipt will be. */
  | { readonly kind: 'accepted'; readonly location: string | undefined }
  /** The platform will never take this job as it is. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The link under the slip cannot be used, so the job goes without it. */
  | { readonly kind: 'without_link'; readonly reason: string }
  /** Nothing of this is the job's fault. The same request succeeds later. */
  | {
      readonly kind: 'later';
      readonly cause: LaterCause;
      readonly reason: string;
      readonly retryAfterMs: number;
    };

/** `settings`: somebody has to correct the address or the credentials. */
export type LaterCause = 'network' | 'platform' | 'settings';

const accepted = 202;
/** They say nothing about the job: a wrong credential or permission, a wrong address, or a proxy that wants something. */
const settingsStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 421]);
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
const linkCodes: ReadonlySet<string> = new Set(['link_taken', 'link_not_found']);
const retryAfterMsMax = 3_600_000;
const reasonLengthMax = 500;

interface ErrorBody {
  readonly code?: unknown;
  readonly description?: unknown;
  readonly errors?: readonly { readonly path?: unknown; readonly message?: unknown }[];
}

function bodyOf({ text }: PlatformAnswer): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** The answer in a line that a technician reads. */
export function describeAnswer(answer: PlatformAnswer): string {
  const { code, description, errors } = bodyOf(answer);
  const faults = Array.isArray(errors)
    ? errors.map(({ path, message }) => `${String(path)} ${String(message)}`)
    : [];
  const texts = [code, description, ...faults].filter((text) => typeof text === 'string');
  return `${answer.status} ${texts.join('; ')}`.trim().slice(0, reasonLengthMax);
}

/** Milliseconds. A date is compared with the clock that wrote it. */
export function retryAfterMs({ headers }: PlatformAnswer, serverNowMs: number): number {
  const value = headers['retry-after'];
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - serverNowMs;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), retryAfterMsMax);
}

/**
 * What the answer to a posted job means. Only 202 accepts a job: the login page of a shop's network answers 200 or redirects.
 */
export function outcomeOf(answer: PlatformAnswer, serverNowMs: number): PostOutcome {
  const { status } = answer;
  if (status === accepted) return { kind: 'accepted', location: answer.headers.location };
  const reason = describeAnswer(answer);
  if (linkCodes.has(String(bodyOf(answer).code))) return { kind: 'without_link', reason };
  const waitMs = retryAfterMs(answer, serverNowMs);
  if (status >= 500 || passingStatuses.has(status))
    return { kind: 'later', cause: 'platform', reason, retryAfterMs: waitMs };
  if (status < 400 || settingsStatuses.has(status))
    return { kind: 'later', cause: 'settings', reason, retryAfterMs: waitMs };
  return { kind: 'refused', reason };
}
