import { createHmac, timingSafeEqual } from 'node:crypto';
import { boundedBytes } from '@receipts/host';
import { retryAfterMs } from '../../domain/retry-after';
import { ChannelFault, type CallbackRefs, type FaultReason, type Report } from './channel';

/** Much shorter than the lease of an attempt. */
const timeoutMs = 10_000;
const answerBytesMax = 64 * 1024;
const badRequest = 400;
const tooManyRequests = 429;

export interface ProviderResponse {
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
  readonly retryAfterMs: number;
}

/** Errors of requests that did not reach the provider. */
const unconnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const wasHandedOver = (error: unknown): boolean =>
  !unconnected.has(((error as { cause?: { code?: unknown } }).cause ?? {}).code);

/**
 * Posts to the API of a provider.
 * @throws ChannelFault `not_delivered` if the provider was not reached, `outcome_unknown` if it was reached but did not
 * respond completely: the message may or may not have been accepted
 */
export async function postToProvider(
  url: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  now: Date,
): Promise<ProviderResponse> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      status: response.status,
      body: jsonOf(await boundedBytes(response.body ?? [], answerBytesMax)),
      retryAfterMs: retryAfterMs(response.headers.get('retry-after') ?? undefined, now) ?? 0,
    };
  } catch (error) {
    // The error is not passed on, as it can contain the URL and therefore the account.
    throw new ChannelFault(wasHandedOver(error) ? 'outcome_unknown' : 'not_delivered');
  }
}

/** The vocabulary of a provider's API. */
export interface ProviderCodes {
  /** The meaning of its error codes. */
  readonly reasons: ReadonlyMap<number, FaultReason>;
  /** The meaning of the states in its callbacks. */
  readonly states: ReadonlyMap<string, Report['state']>;
}

/**
 * Why a provider rejected a message, derived from its error code if that is known. Otherwise, 400 means a message that
 * it will never send; other failures, including wrong keys, are temporary or can be fixed.
 */
export function refusalReason({ reasons }: ProviderCodes, status: number, code: unknown): FaultReason {
  const reason = typeof code === 'number' ? reasons.get(code) : undefined;
  if (reason) return reason;
  if (status === tooManyRequests) return 'rate_limited';
  return status === badRequest ? 'refused' : 'not_delivered';
}

/** What a callback reports about a delivery; nothing if the delivery or the state is not known. */
export function reportsOf(
  { reasons, states }: ProviderCodes,
  { deliveryId, status, code }: { deliveryId: string | undefined; status: string; code: unknown },
): readonly Report[] {
  const state = states.get(status);
  if (deliveryId === undefined || state === undefined) return [];
  if (state !== 'failed') return [{ deliveryId, state, reason: null }];
  const reason = reasons.get(Number(code));
  // A message that was accepted is not sent again, so a failure that could be temporary is final as well.
  return [
    {
      deliveryId,
      state,
      reason: reason === undefined || reason === 'not_delivered' ? 'undelivered' : reason,
    },
  ];
}

/** The parsed body; undefined if it is not JSON. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function isSame(expected: string, given: string | undefined): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given ?? '')];
  return a.length === b.length && timingSafeEqual(a, b);
}

const tagCharacters = 22;

/**
 * The id of a delivery with a signature over it and the account, so that the owner of one account cannot report on
 * messages of another.
 */
export function callbackRefs(secret: string, account: string): CallbackRefs {
  const seal = (deliveryId: string) => {
    const tag = createHmac('sha256', secret)
      .update(`call-back\n${account}\n${deliveryId}`)
      .digest('base64url');
    return `${deliveryId}.${tag.slice(0, tagCharacters)}`;
  };
  return {
    seal,
    open(ref) {
      if (typeof ref !== 'string') return undefined;
      const deliveryId = ref.slice(0, Math.max(0, ref.lastIndexOf('.')));
      return isSame(seal(deliveryId), ref) ? deliveryId : undefined;
    },
  };
}
