import {
  type HttpRoute,
  type Input,
  ServiceError,
  consumerMismatch,
  mustBeAtLeast,
  mustBeAtMost,
  permissionNeeded,
  rawOutput,
  wording,
} from '@receipts/kernel';
import type { Authenticator } from '../authentication/authenticator';
import type { Caller } from '../authentication/caller';
import { withConsumerOnce } from '../authentication/url-signature';
import { expectationFailed, notAcceptable } from '../errors';
import { headerReader, invalid, isPretty, pathReader, queryReader } from '../parameters/parameters';
import { parseQuery } from '../parameters/query-string';
import { callerAddress } from './caller-address';
import type { ContractEdge } from './contract-edge';
import type { CrossOrigin } from './cross-origin';
import type { SizeLimits } from './limits';
import { preferred } from './media-type';
import type { Step } from './middleware';
import type { MountedContract } from './mounted-contract';
import { RateLimiter, takeQuota, takeRequest } from './rate-limits';
import { type BodyBounds, requestBodyReader } from './request-body';
import type { RequestContext } from './request-context';
import type { RequestLimiter } from './request-limiter';
import { jsonType } from './responder';
import type { Upstream } from './upstream';
import { checkHeaders } from './wire-checks';

const pageType = 'text/html';

/** Refuses what is wrong on the wire: 400, 413, 414, 417. */
export function checkWire(limits: SizeLimits): Step {
  return ({ addressError, req, expectation }) => {
    if (addressError !== undefined) throw addressError;
    checkHeaders(req, limits);
    if (expectation === 'unknown') throw new ServiceError(expectationFailed);
  };
}

/** Refuses requests beyond the cap on requests in progress, which would only wait: 503. */
export function limitConcurrency(requests: RequestLimiter): Step {
  return (context) => {
    requests.enter();
    context.onAnswered(() => requests.leave());
  };
}

/** True if web pages may call an endpoint with a URL signature. */
export const isForPages = ({ http, kind }: MountedContract) =>
  (http.access ?? 'retailer') === 'retailer' && (kind === 'query' || http.fromPages === true);

/** Reads the query string and chooses the media type of the answer: 400, 406. */
export function negotiate({ http, output }: MountedContract): Step {
  const answersJson = output !== undefined && output !== rawOutput;
  const produces = answersJson ? [jsonType] : http.produces;
  return (context) => {
    context.args = parseQuery(context.queryText);
    context.pretty = isPretty(context.args);
    if (!produces) return;
    const { accept } = context.req.headers;
    context.accept = preferred(accept, produces);
    if (context.accept === undefined) throw new ServiceError(notAcceptable);
    // An error is an HTML page only for callers that prefer HTML. A caller that accepts anything is taken for a program.
    context.prefersPage = context.accept === pageType && preferred(accept, [jsonType, pageType]) === pageType;
  };
}

/** Lets pages of allowed origins read the answer, whatever it is. */
export function allowOrigin(crossOrigin: CrossOrigin): Step {
  return (context) => {
    const [key] = context.args.get('key') ?? [];
    const isSigned = key !== undefined && context.req.headers.authorization === undefined;
    return isSigned ? crossOrigin.allow(context, key) : undefined;
  };
}

/** Finds the caller by its credentials: 401, 403. */
export function authenticate({ http }: MountedContract, authenticator: Authenticator): Step {
  const { access = 'retailer' } = http;
  return (context) => {
    const { authorization } = context.req.headers;
    const found = authenticator.authenticate(access, authorization, context.args);
    const accept = (caller: Caller) => {
      context.caller = caller;
    };
    return found instanceof Promise ? found.then(accept) : accept(found);
  };
}

export interface CallerLimits {
  readonly requests: RequestLimiter;
  readonly reads: RateLimiter;
  readonly writes: RateLimiter;
  /** See `callerAddress`. */
  readonly trustedProxies: number;
}

/** Limits the rate of the caller, its share of the requests in progress, and the rate of the route: 429. */
export function limitCaller({ http, kind }: MountedContract, limits: CallerLimits): Step {
  const { requests, trustedProxies } = limits;
  const policy = kind === 'query' ? 'reads' : 'writes';
  const { rate } = http;
  const ownRate = rate && new RateLimiter(rate.requests / rate.perSeconds, rate.perSeconds);
  return (context) => {
    const { retailer, limitedAs } = context.caller;
    context.limitedAs =
      http.access === 'public' ? `address/${callerAddress(context.req, trustedProxies)}` : limitedAs;
    takeRequest(context, limits[policy], policy);
    requests.enterShare(retailer);
    context.onAnswered(() => requests.leaveShare(retailer));
    if (ownRate) takeQuota(context, ownRate);
  };
}

/** Requires the permission of the contract: 403. */
export function authorize({ permission }: MountedContract): Step | undefined {
  if (permission === undefined) return undefined;
  return ({ caller }) => {
    if (!caller.permissions.has(permission)) throw permissionNeeded(permission);
  };
}

/** Refuses what would only wait for the owner: 503. */
export const checkUpstream =
  (upstream: Upstream): Step =>
  ({ retailer }) =>
    upstream.check(retailer);

const idempotencyKeyMax = 255;
const idempotencyKeyPattern = /^[\x20-\x7e\x80-\xff]{1,255}$/;

function idempotencyKeyOf({ method }: HttpRoute, given: string | string[] | undefined): string | undefined {
  if (method !== 'POST' || given === undefined) return undefined;
  if (typeof given === 'string' && idempotencyKeyPattern.test(given)) return given;
  if (given.length === 0) throw invalid('idempotency-key', 'too_small', mustBeAtLeast(1, 'string'));
  if (given.length > idempotencyKeyMax)
    throw invalid('idempotency-key', 'too_big', mustBeAtMost(idempotencyKeyMax, 'string'));
  throw invalid('idempotency-key', 'invalid_format', 'must not have control characters');
}

/** The client setting `consumer_required` (docs/interface.md, "Permissions"). */
function checkConsumer({ consumerScoped }: HttpRoute, { caller, args }: RequestContext): void {
  if (consumerScoped !== true || caller.settings?.consumer_required !== true) return;
  if (caller.consumers || args.has('consumer')) return;
  throw invalid('consumer', 'required', wording.required);
}

/** Reads and checks the parameters of path, query and headers: 400. */
export function readParameters(contract: MountedContract, trustedProxies: number): Step {
  const { http } = contract;
  const path = pathReader(contract.params);
  const query = queryReader(contract.query, http.freeQueryPrefixes);
  const headers = headerReader(contract.headers, http.freeHeaderPrefixes);
  return (context) => {
    const { req, args, caller, accept } = context;
    const params = path.read(req.params ?? {});
    const checkedQuery = query.read(caller.consumers ? withConsumerOnce(args) : args);
    checkConsumer(http, context);
    context.parameters = {
      params,
      query: checkedQuery,
      headers: headers.read(req.rawHeaders, accept, () => callerAddress(req, trustedProxies)),
    } as RequestContext['parameters'];
    context.idempotencyKey = idempotencyKeyOf(http, req.headers['idempotency-key']);
  };
}

/** Reads and checks the body, up to its limit and within the budget: 400, 408, 413, 415, 422, 429, 503. */
export function readBody({ body, http }: MountedContract, bounds: BodyBounds): Step | undefined {
  if (!body) return undefined;
  const reader = requestBodyReader(body, http.method, bounds);
  return async (context) => {
    context.body = await reader(context);
  };
}

/** The input of the contract's own functions. */
export const inputOf = ({ parameters, body: { value, contentType } }: RequestContext) =>
  ({ ...parameters, body: value, contentType }) as Input;

/** Checks the rules of the contract across parameters and body: 403, 422. */
export function verifyInput(edge: ContractEdge): Step | undefined {
  const { verify, consumerOf } = edge;
  if (!verify && !consumerOf) return undefined;
  return (context) => {
    const input = inputOf(context);
    verify?.(input);
    // Credentials that are confined to consumers create things for these consumers only.
    const { consumers } = context.caller;
    if (!consumerOf || !consumers) return;
    if (!consumers.includes(consumerOf(input) ?? '')) throw new ServiceError(consumerMismatch);
  };
}
