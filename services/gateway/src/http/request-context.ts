import { IncomingMessage, ServerResponse } from 'node:http';
import { newId, type Input } from '@receipts/kernel';
import { anonymous, type Caller } from '../authentication/caller';
import type { QueryArguments } from '../parameters/query-string';
import { callerAddress, networkOf } from './caller-address';
import { addressOf } from './wire-checks';
import type { BodyBudget, RateLimiter, Reservation } from './request-limits';
import type { SizeLimits } from './limits';
import type { Quota } from './quota';

/** The outcome of a request, for its span. */
export interface RequestEnd {
  readonly method: string;
  /** Empty if no route matched. */
  readonly route: string;
  readonly status: number;
  readonly retailer: string;
  readonly requestId: string;
}

/** The span of a request. */
export interface RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  /** Called once, with the response; absent if tracing is off. */
  readonly ended?: (end: RequestEnd) => void;
}

/** @param parent the caller's `traceparent`, unchecked. */
export type TraceOf = (parent: string | undefined) => RequestTrace;

/** An incoming request with its context. */
export class GatewayRequest extends IncomingMessage {
  context?: RequestContext;
  /** The path parameters, set by Express. */
  declare params?: Readonly<Record<string, string>>;
}
export class GatewayResponse extends ServerResponse<GatewayRequest> {}

/** The value of `Expect`: absent, `100-continue`, or unknown. */
export type Expectation = 'none' | 'continue' | 'unknown';

export interface RequestBody {
  /** The bytes that are forwarded to the owner. */
  readonly bytes: Buffer;
  readonly value: unknown;
  readonly contentType?: string;
}

/** The body of a request that has none. */
export const noBody: RequestBody = { bytes: Buffer.alloc(0), value: undefined };

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;

interface ContextOptions {
  readonly traceOf: TraceOf;
  readonly limits: SizeLimits;
  readonly basePath: string;
  readonly trustedProxies: number;
}

/** The state of one request, which the middleware fills in. */
export class RequestContext {
  readonly requestId: string;
  readonly trace: RequestTrace;
  readonly startedAt = performance.now();
  /** Still percent-encoded; `/` if the URL is rejected. */
  path = '/';
  /** Still percent-encoded. */
  queryText = '';
  /** The error in the URL, which the first middleware throws. */
  addressError: Error | undefined;
  /** The pattern of the route, for the log. The path itself may contain personal data. */
  route = '';
  args: QueryArguments = new Map();
  /** The negotiated media type of the response; undefined if any is acceptable. */
  accept: string | undefined;
  pretty = false;
  /** True if people open the route in a browser and the caller prefers HTML: errors are then pages. */
  prefersPage = false;
  /** Set if the route has versions; returned in the response. */
  version: string | undefined;
  /** Names and values of the headers that allow pages of other origins to read the response; see `CrossOrigin`. */
  crossOrigin: string[] | undefined;
  caller: Caller = anonymous;
  /** The key of the rate limit; empty until the caller is authenticated. */
  limitedAs = '';
  /** The remaining part of the route's own rate limit. */
  quota: Quota | undefined;
  /** The checked parameters. */
  parameters: Pick<Input, 'params' | 'query' | 'headers'> = {
    params: undefined,
    query: undefined,
    headers: undefined,
  };
  idempotencyKey: string | undefined;
  body: RequestBody = noBody;
  /** True until `100 Continue` is sent to a caller that sent `Expect: 100-continue`. */
  expectsInvitation: boolean;
  /** True if the connection is closed after the response, because the rest of its data is not trusted. */
  closing = false;
  answered = false;
  private readonly trustedProxies: number;
  private readonly released: (() => void)[] = [];

  /** @param basePath the public prefix of the service, see `addressOf` */
  constructor(
    readonly req: GatewayRequest,
    readonly res: ServerResponse,
    readonly expectation: Expectation,
    { traceOf, limits, basePath, trustedProxies }: ContextOptions,
  ) {
    this.trustedProxies = trustedProxies;
    this.expectsInvitation = expectation === 'continue';
    const { headers, url = '' } = req;
    const given = headers['request-id'];
    this.requestId = typeof given === 'string' && saneRequestId.test(given) ? given : newId();
    const parent = headers['traceparent'];
    this.trace = traceOf(typeof parent === 'string' ? parent : undefined);
    try {
      const { path, query } = addressOf(url, limits, basePath);
      this.path = path;
      this.queryText = query;
    } catch (error) {
      this.addressError = error as Error;
      this.queryText = url.slice(url.indexOf('?') + 1);
    }
    req.context = this;
    req.url = this.path;
  }

  get traceparent(): string {
    return this.trace.traceparent;
  }

  get callerAddress(): string {
    return callerAddress(this.req, this.trustedProxies);
  }

  /** The network of the caller, which counts as one caller; see `networkOf`. */
  get callerNetwork(): string {
    return networkOf(this.callerAddress);
  }

  /** Limits the rate of callers without a credential. */
  limitByNetwork(): void {
    this.limitedAs = `network/${this.callerNetwork}`;
  }

  get retailer(): string {
    return this.caller.retailer;
  }

  /** Registers a function that is called once, after the response. */
  onAnswered(release: () => void): void {
    this.released.push(release);
  }

  /**
   * Reserves memory until the response is sent.
   * @throws ServiceError 429 and 503, as `BodyBudget` does.
   */
  reserve(budget: BodyBudget, bytes: number): Reservation {
    const reservation = budget.reserve(this.limitedAs, bytes);
    this.onAnswered(() => reservation.release());
    return reservation;
  }

  release(): void {
    for (const release of this.released) release();
  }

  /** True if a part of the request's body has not been read. */
  get hasUnreadBody(): boolean {
    return !this.req.complete && this.hasBody;
  }

  /** True if the request has a body (RFC 9112, section 6.3). */
  get hasBody(): boolean {
    const { headers } = this.req;
    const length = headers['content-length'];
    return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  }
}

/** The input of the contract's own functions. */
export const inputOf = ({ parameters, body: { value, contentType } }: RequestContext) =>
  ({ ...parameters, body: value, contentType }) as Input;

/**
 * Takes a token from the route's limit; the response reports the remaining quota.
 * @throws ServiceError 429 `rate_limited`.
 */
export function takeQuota(context: RequestContext, limiter: RateLimiter): void {
  try {
    limiter.take(context.limitedAs);
  } finally {
    context.quota = limiter.quotaOf(context.limitedAs, 'route');
  }
}

/**
 * Takes a token from the caller's limit for reads or writes. The response reports this limit only when it is exhausted.
 * @throws ServiceError 429 `rate_limited`.
 */
export function takeRequest(context: RequestContext, limiter: RateLimiter, policy: 'reads' | 'writes'): void {
  try {
    limiter.take(context.limitedAs);
  } catch (error) {
    context.quota = limiter.quotaOf(context.limitedAs, policy);
    throw error;
  }
}
