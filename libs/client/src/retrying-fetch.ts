import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

export interface RetryLimits {
  /** The maximum number of attempts, including the first. */
  readonly attemptsMax: number;
  /** The delay before the second attempt, with jitter; it doubles with each further attempt. */
  readonly pauseMs: number;
  /** The maximum delay. If `Retry-After` requests a longer delay, the caller gets the response. */
  readonly pauseMsMax: number;
  /** The timeout of an attempt. */
  readonly attemptTimeoutMs: number;
}

export const defaultRetryLimits: RetryLimits = {
  attemptsMax: 5,
  pauseMs: 200,
  pauseMsMax: 30_000,
  attemptTimeoutMs: 60_000,
};

export type Send = (request: Request) => Promise<Response>;
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const idempotencyKey = 'idempotency-key';
const repeatableMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
/** Too many requests, or an unavailable service: the request may be valid, and may not have been executed. */
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Milliseconds; undefined if the response has no such header. The service sends seconds; a proxy may send a date. */
function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Rejects with the reason of the abort, as `fetch` does. */
const pauseFor: Pause = (ms, signal) => delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());

/**
 * A signal that follows another signal and aborts after a timeout, and a promise that is then rejected.
 * `AbortSignal.any` and requests reference the signals that they follow only weakly: a garbage-collected signal never
 * aborts.
 */
function limited(caller: AbortSignal, ms: number): { signal: AbortSignal; timedOut: Promise<never> } {
  const controller = new AbortController();
  if (caller.aborted) controller.abort(caller.reason);
  else caller.addEventListener('abort', () => controller.abort(caller.reason), { once: true });
  const timedOut = new Promise<never>((_, reject) => {
    setTimeout(() => {
      const error = new DOMException(`no response within ${ms} ms`, 'TimeoutError');
      controller.abort(error);
      reject(error);
    }, ms).unref();
  });
  timedOut.catch(() => undefined);
  return { signal: controller.signal, timedOut };
}

type AttemptResult =
  | { readonly response: Response; readonly error?: never }
  | { readonly response?: never; readonly error: Error };

/** The delay that the response requests, in milliseconds; undefined if a retry would not help. */
function pauseAskedMs({ response }: AttemptResult): number | undefined {
  if (response === undefined) return 0;
  return passingStatuses.has(response.status) ? (retryAfterMs(response) ?? 0) : undefined;
}

function responseOf({ response, error }: AttemptResult): Response {
  if (response) return response;
  throw error;
}

/**
 * Retries requests after temporary failures. Every POST gets an `Idempotency-Key`, so that it has one effect no matter
 * how often it arrives. A PATCH has no such key and is sent once.
 */
export function retryingFetch(send: Send, limits: RetryLimits, pause: Pause = pauseFor): Send {
  const attempt = async (request: Request): Promise<AttemptResult> => {
    const { signal, timedOut } = limited(request.signal, limits.attemptTimeoutMs);
    try {
      return { response: await Promise.race([send(new Request(request, { signal })), timedOut]) };
    } catch (error) {
      // An abort by the caller is not a failure to retry.
      request.signal.throwIfAborted();
      return { error: error as Error };
    }
  };
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has(idempotencyKey))
      request.headers.set(idempotencyKey, randomUUID());
    const isRepeatable = repeatableMethods.has(request.method) || request.headers.has(idempotencyKey);
    const attemptsMax = isRepeatable ? limits.attemptsMax : 1;
    for (let n = 1; ; n++) {
      const isLast = n >= attemptsMax;
      const outcome = await attempt(isLast ? request : request.clone());
      const askedMs = pauseAskedMs(outcome);
      if (isLast || askedMs === undefined || askedMs > limits.pauseMsMax) return responseOf(outcome);
      await outcome.response?.body?.cancel();
      const backOffMs = Math.random() * Math.min(limits.pauseMs * 2 ** (n - 1), limits.pauseMsMax);
      await pause(Math.max(askedMs, backOffMs), request.signal);
    }
  };
}
