import { ServiceError } from '@receipts/kernel';
import type { CredentialBook } from '../authentication/credential-book';
import { originNotAllowed } from '../errors';
import { parseQuery } from '../parameters/query-string';
import type { RequestContext } from './request-context';

/** The request headers that pages may send, in addition to those that need no preflight. */
const requestHeaders = [
  'content-type',
  'idempotency-key',
  'if-none-match',
  'request-id',
  'service-api-version',
  'traceparent',
].join(', ');
/** The response headers that scripts may read, in addition to those that are always readable. */
const exposedHeaders = [
  'content-disposition',
  'etag',
  'idempotent-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'request-id',
  'retry-after',
  'service-api-version',
  'traceparent',
].join(', ');
/** How long a browser may cache the response to a preflight. The requests themselves are checked each time. */
const preflightSeconds = '600';

/** The parameter `key`, in a query string that may be too long to parse. Keys need no percent-encoding. */
const keyPattern = /(?:^|&)key=([A-Za-z0-9_-]{1,64})(?:&|$)/;

/** The origins whose pages may call with a retailer's signatures. */
export type OriginsOf = (retailer: string) => Promise<readonly string[]>;

/**
 * Allows pages from other origins to send requests with URL signatures (Fetch Standard, "CORS protocol"). A preflight
 * carries no credentials, but its URL contains the argument `key`, which determines the retailer. Neither a preflight
 * nor these headers authorise anything; every request is authenticated by its signature. Cookies and other credentials
 * of the browser are never allowed.
 */
export class CrossOrigin {
  constructor(
    private readonly credentials: Pick<CredentialBook, 'find'>,
    private readonly originsOf: OriginsOf,
  ) {}

  /** Sets the headers that allow a page of an allowed origin to read any response. */
  async allow(context: RequestContext, key: string): Promise<void> {
    context.crossOrigin = ['vary', 'origin'];
    const { origin } = context.req.headers;
    if (origin === undefined || !(await this.isAllowed(origin, key).catch(() => false))) return;
    context.crossOrigin.push(
      'access-control-allow-origin',
      origin,
      'access-control-expose-headers',
      exposedHeaders,
    );
  }

  /**
   * Does the same for a request that was rejected before its endpoint was known, such as one whose body or query string
   * is too large. Only for the key of a URL signature, and only if the origin has to be checked.
   */
  async allowUnrouted(context: RequestContext): Promise<void> {
    const { origin, authorization } = context.req.headers;
    if (context.crossOrigin || origin === undefined || authorization !== undefined) return;
    const key = keyPattern.exec(context.queryText)?.[1];
    if (key !== undefined) await this.allow(context, key);
  }

  /**
   * The headers of the response to a preflight.
   * @param methods the methods of this path that pages may use
   * @throws ServiceError 403 `origin_not_allowed`; 503 when the key or the retailer cannot be requested from admin.
   */
  async preflight(
    { req, queryText }: RequestContext,
    methods: readonly string[],
  ): Promise<Record<string, string>> {
    const { origin = '' } = req.headers;
    const [key = ''] = parseQuery(queryText).get('key') ?? [];
    if (!(await this.isAllowed(origin, key))) {
      throw new ServiceError(originNotAllowed, { headers: { vary: 'origin' } });
    }
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': requestHeaders,
      'access-control-max-age': preflightSeconds,
      vary: 'origin',
    };
  }

  private async isAllowed(origin: string, key: string): Promise<boolean> {
    const credential = (await this.credentials.find(key))?.credential;
    if (credential?.authentication !== 'hmac') return false;
    return (await this.originsOf(credential.retailer)).includes(origin);
  }
}

/** True for a browser's preflight, as opposed to an ordinary OPTIONS request from a program. */
export function isPreflight({ req }: RequestContext): boolean {
  const { origin, 'access-control-request-method': method } = req.headers;
  return req.method === 'OPTIONS' && origin !== undefined && method !== undefined;
}
