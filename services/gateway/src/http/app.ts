import {
  ServiceError,
  type HttpRoute,
  consumerMismatch,
  consumerNotAllowed,
  mustBeAtLeast,
  mustBeAtMost,
  permissionNeeded,
  rawOutput,
  wording,
} from '@receipts/kernel';
import { holdsPermission } from '@receipts/contracts';
import type { Express, RequestHandler } from 'express';
import type { Authenticate } from '../authentication/authenticator';
import { badEncoding, routeNotFound, expectationFailed, notAcceptable } from '../errors';
import type { CrossOrigin } from './cross-origin';
import { createExpress } from './create-express';
import { Forwarding, type ForwardOptions } from './forward';
import { errorHandler, handler, middleware, type Step } from './middleware';
import { isForPages, showsPages, type MountedContract } from './mounted-contract';
import { servePages, type Page } from './pages';
import { type BodyBounds, requestBodyReader } from './request-body';
import { inputOf, takeQuota, takeRequest, type RequestContext } from './request-context';
import { mountRoutes, type Contracts } from './routes';
import { Upstream, type UpstreamOptions } from './upstream';
import type { Caller } from '../authentication/caller';
import { withConsumerOnce } from '../authentication/url-signature';
import { headerReader, invalid, isPretty, pathReader, queryReader } from '../parameters/parameters';
import { parseQuery } from '../parameters/query-string';
import type { SizeLimits } from './limits';
import { preferred } from './media-type';
import { RateLimiter, type RequestLimiter } from './request-limits';
import { jsonType } from './responder';
import { checkHeaders } from './wire-checks';

const pageType = 'text/html';

/** True for browsers. A caller that accepts anything is treated as a program. */
const prefersPage = ({ req }: RequestContext) =>
  preferred(req.headers.accept, [jsonType, pageType]) === pageType;

/** Rejects malformed HTTP: 400, 413, 414, 417. */
function checkWire(limits: SizeLimits): Step {
  return ({ addressError, req, expectation }) => {
    if (addressError !== undefined) throw addressError;
    checkHeaders(req, limits);
    if (expectation === 'unknown') throw new ServiceError(expectationFailed);
  };
}

/** Rejects requests above the maximum number in progress, because they would only wait: 503. */
function limitConcurrency(requests: RequestLimiter): Step {
  return (context) => context.onAnswered(requests.enter());
}

/** Reads the query string and chooses the media type of the response: 400, 406. */
function negotiate(contract: MountedContract): Step {
  const { http, output } = contract;
  const answersJson = output !== undefined && output !== rawOutput;
  const produces = answersJson ? [jsonType] : http.produces;
  return (context) => {
    context.args = parseQuery(context.queryText);
    context.pretty = isPretty(context.args);
    context.prefersPage = showsPages(contract) && prefersPage(context);
    // A caller who names a format gets it, whatever else the program accepts.
    if (!produces || context.args.get('format')?.some((format) => Object.hasOwn(http.formats ?? {}, format)))
      return;
    context.accept = preferred(context.req.headers.accept, produces);
    if (context.accept === undefined) throw new ServiceError(notAcceptable);
  };
}

/** Allows pages from permitted origins to read any response. */
function allowOrigin(crossOrigin: CrossOrigin): Step {
  return (context) => {
    const [key] = context.args.get('key') ?? [];
    const isSigned = key !== undefined && context.req.headers.authorization === undefined;
    return isSigned ? crossOrigin.allow(context, key) : undefined;
  };
}

/** Identifies the caller by its credentials: 401, 403. */
function authenticate({ http }: MountedContract, identify: Authenticate): Step {
  const { access = 'retailer' } = http;
  return (context) => {
    const { authorization } = context.req.headers;
    const found = identify(access, authorization, context.args);
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
}

/** Limits the rate of the caller, its share of the requests in progress, and the rate of the route: 429. */
function limitCaller({ http, kind }: MountedContract, limits: CallerLimits): Step {
  const { requests } = limits;
  const policy = kind === 'query' ? 'reads' : 'writes';
  const { rate } = http;
  const ownRate = rate && new RateLimiter(rate.requests / rate.perSeconds, rate.perSeconds);
  return (context) => {
    const { retailer, limitedAs } = context.caller;
    if (http.access === 'public') context.limitByNetwork();
    else context.limitedAs = limitedAs;
    takeRequest(context, limits[policy], policy);
    context.onAnswered(requests.enterShare(retailer));
    if (ownRate) takeQuota(context, ownRate);
  };
}

/** Requires the permission of the contract, and that it is for callers who are restricted to consumers: 403. */
function authorize({ permission, forConsumers, http }: MountedContract): Step | undefined {
  if (permission === undefined) return undefined;
  return ({ caller: { permissions, consumers, settings } }) => {
    if (!holdsPermission(permissions, permission)) throw permissionNeeded(permission);
    const mustName = http.consumerScoped === true && settings?.consumer_required === true;
    if (!forConsumers && (consumers || mustName)) throw new ServiceError(consumerNotAllowed);
  };
}

/** Rejects requests that would only wait for the owner: 503. */
const checkUpstream =
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
function readParameters(contract: MountedContract): Step {
  const { http } = contract;
  const readPath = pathReader(contract.params);
  const readQuery = queryReader(contract.query, http);
  const readHeaders = headerReader(contract.headers, http.freeHeaderPrefixes);
  return (context) => {
    const { req, args, caller, accept } = context;
    const params = readPath(req.params ?? {});
    const checkedQuery = readQuery(caller.consumers ? withConsumerOnce(args) : args);
    checkConsumer(http, context);
    context.parameters = {
      params,
      query: checkedQuery,
      headers: readHeaders(req.rawHeaders, accept, context),
    } as RequestContext['parameters'];
    context.idempotencyKey = idempotencyKeyOf(http, req.headers['idempotency-key']);
  };
}

/** Reads and checks the body, up to its limit and within the budget: 400, 408, 413, 415, 422, 429, 503. */
function readBody({ body, http }: MountedContract, bounds: BodyBounds): Step | undefined {
  if (!body) return undefined;
  const reader = requestBodyReader(body, http.method, bounds);
  return async (context) => {
    context.body = await reader(context);
  };
}

/** Checks the rules of the contract across parameters and body: 403, 422. */
function verifyInput({ verify, consumerOf }: MountedContract): Step | undefined {
  if (!verify && !consumerOf) return undefined;
  return (context) => {
    const input = inputOf(context);
    verify?.(input);
    // Credentials that are restricted to consumers create objects for these consumers only.
    const { consumers } = context.caller;
    if (!consumerOf || !consumers) return;
    if (!consumers.includes(consumerOf(input) ?? '')) throw new ServiceError(consumerMismatch);
  };
}

export interface AppOptions extends UpstreamOptions, CallerLimits, ForwardOptions, BodyBounds {
  readonly authenticate: Authenticate;
  readonly crossOrigin: CrossOrigin;
}

/** The middleware of an endpoint, in order. The comments list the error statuses of each. */
export function endpointHandlers(contract: MountedContract, options: AppOptions): RequestHandler[] {
  const upstream = new Upstream(contract, options);
  const identify = authenticate(contract, options.authenticate);
  const allow = authorize(contract);
  const steps: (Step | undefined)[] = [
    negotiate(contract), // 400, 406
    isForPages(contract) ? allowOrigin(options.crossOrigin) : undefined,
    identify, // 401, 403
    limitCaller(contract, options), // 429
    allow, // 403
    checkUpstream(upstream), // 503
    readParameters(contract), // 400
    readBody(contract, options), // 400, 408, 413, 415, 422, 429, 503
    verifyInput(contract), // 403, 422
  ];
  const forwarding = new Forwarding(contract, upstream, options, async (context) => {
    await identify(context);
    await allow?.(context);
  });
  return [...steps.filter((step) => step !== undefined).map(middleware), handler(forwarding.answer)];
}

/** The application: every contract with a route, and the gateway's own pages. */
export function createApp(
  contracts: readonly Contracts[],
  pages: readonly Page[],
  options: AppOptions,
): Express {
  const { responder, crossOrigin, requests, limits } = options;
  const app = createExpress();
  app.use(middleware(checkWire(limits))); // 400, 413, 414, 417
  app.use(middleware(limitConcurrency(requests))); // 503
  // Before the routes: one with a parameter, such as `/portal/{page}`, also matches the paths of pages.
  app.use(servePages(pages, responder));
  mountRoutes(app, contracts, options, (contract) => endpointHandlers(contract, options));
  app.use(
    handler((context) => {
      context.prefersPage = prefersPage(context);
      responder.refuse(context, new ServiceError(routeNotFound));
    }),
  );
  // Only for requests rejected before routing: routes handle their own errors.
  app.use(
    errorHandler(async (context, error) => {
      await crossOrigin.allowUnrouted(context);
      const isBadPath = error instanceof URIError;
      responder.refuse(context, isBadPath ? new ServiceError(badEncoding, { cause: error }) : error);
    }),
  );
  return app;
}
