import type { PlatformResponse } from './platform-client';

export type PostOutcome =
  /** The platform has accepted the job. `location` is the path of its receipt. */
  | { readonly kind: 'accepted'; readonly location: string | undefined }
  /** The platform will never accept this job unchanged. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The link under the slip cannot be used, so the job is sent without it. */
  | { readonly kind: 'without_link'; readonly reason: string }
  /** The failure is not caused by the job. The same request may succeed later. */
  | {
      readonly kind: 'later';
      readonly cause: LaterCause;
      readonly reason: string;
      readonly retryAfterMs: number;
    };

/** `settings`: the address or the credentials must be corrected. */
export type LaterCause = 'network' | 'platform' | 'settings';

const accepted = 202;
/**
 * Statuses that are not the job's fault: a wrong credential or permission, a wrong address, or a proxy that requires
 * something.
 */
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

function bodyOf({ text }: PlatformResponse): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** The response in one line, for a technician. */
export function describeAnswer(answer: PlatformResponse): string {
  const { code, description, errors } = bodyOf(answer);
  const faults = Array.isArray(errors)
    ? errors.map(({ path, message }) => `${String(path)} ${String(message)}`)
    : [];
  const texts = [code, description, ...faults].filter((text) => typeof text === 'string');
  return `${answer.status} ${texts.join('; ')}`.trim().slice(0, reasonLengthMax);
}

/** The requested delay in milliseconds. A date is compared with the platform's clock. */
export function retryAfterMs({ headers }: PlatformResponse, serverNowMs: number): number {
  const value = headers['retry-after'];
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - serverNowMs;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), retryAfterMsMax);
}

/**
 * The meaning of the response to a posted job. Only 202 accepts a job: the login page of a shop's network returns 200
 * or redirects.
 */
export function outcomeOf(answer: PlatformResponse, serverNowMs: number): PostOutcome {
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
