import { groupBy } from '@receipts/concurrency';
import { ServiceError, type Contract } from '@receipts/kernel';
import express, { type Express, type RequestHandler } from 'express';
import { methodNotAllowed, unsupportedVersion } from '../errors';
import { isPreflight, type CrossOrigin } from './cross-origin';
import { contextOf, errorHandler, handler, middleware, type Step } from './middleware';
import { isForPages, type MountedContract } from './mounted-contract';
import type { RateLimiter } from './request-limits';
import { takeRequest } from './request-context';
import type { Responder } from './responder';

/** The contracts of one owner, as `@receipts/contracts` exports them. */
export type Contracts = Readonly<Record<string, Contract>>;

/** @throws Error if the body of a contract with a route is a schema without media types */
export function isMounted(contract: Contract): contract is MountedContract {
  const { name, http, body } = contract;
  if (http && body && !('kind' in body))
    throw new Error(`${name} does not state the media types of its body`);
  return http !== undefined;
}

const parameterPattern = /\{([a-z_]+)\}/g;

function parameterCount(path: string): number {
  return path.match(parameterPattern)?.length ?? 0;
}

/**
 * Fixed paths first: `/receipts/_search` must not match as `/receipts/{id}`. Short ones first, as they are the most
 * frequent. Long ones before others with as many segments: `/r/{token}.json` must not match as `/r/{token}`.
 */
function compare(a: string, b: string): number {
  return (
    parameterCount(a) - parameterCount(b) ||
    a.split('/').length - b.split('/').length ||
    b.length - a.length ||
    (a < b ? -1 : 1)
  );
}

/** The syntax of path-to-regexp. */
function expressPath(path: string): string {
  return path.replace(/[*+?!:()[\]\\]/g, '\\$&').replace(parameterPattern, ':$1');
}

export function notAllowed(methods: Iterable<string>): ServiceError {
  const allowed = new Set(methods);
  // Every path with GET also supports HEAD (RFC 9110, section 9.1).
  if (allowed.has('GET')) allowed.add('HEAD');
  return new ServiceError(methodNotAllowed, { headers: { allow: [...allowed].sort().join(', ') } });
}

/** Chooses among contracts of the same path and method by the header `service-api-version`. */
function byVersion(contracts: readonly MountedContract[], handlersOf: HandlersOf): RequestHandler {
  const routers = new Map(
    contracts.map((contract) => [
      contract.http.version,
      express.Router({ mergeParams: true }).use(...handlersOf(contract)),
    ]),
  );
  return (req, res, next) => {
    const version = req.headers['service-api-version'] ?? '1';
    const router = version === '1' || version === '2' ? routers.get(version) : undefined;
    if (!router || (version !== '1' && version !== '2')) throw new ServiceError(unsupportedVersion);
    contextOf(req).version = version;
    router(req, res, next);
  };
}

type HandlersOf = (contract: MountedContract) => RequestHandler[];

interface RouteOptions {
  readonly responder: Responder;
  readonly crossOrigin: CrossOrigin;
  readonly reads: RateLimiter;
}

/**
 * Handles methods that the route does not have: preflight requests from pages, otherwise 405. Preflights are limited
 * per address.
 */
function otherMethods(contracts: readonly MountedContract[], options: RouteOptions): Step {
  const { crossOrigin, responder, reads } = options;
  const methods = contracts.map(({ http }) => http.method);
  const forPages = [...new Set(contracts.filter(isForPages).map(({ http }) => http.method))];
  return async (context) => {
    if (forPages.length === 0 || !isPreflight(context)) throw notAllowed(methods);
    context.limitByNetwork();
    takeRequest(context, reads, 'reads');
    responder.reply(context, 204, await crossOrigin.preflight(context, forPages), undefined);
  };
}

/** Mounts all contracts that have a route. Throws if two contracts have the same route. */
export function mountRoutes(
  app: Express,
  contracts: readonly Contracts[],
  options: RouteOptions,
  handlersOf: HandlersOf,
): void {
  const mounted = contracts.flatMap((owned) => Object.values(owned)).filter(isMounted);
  const paths = groupBy(mounted, ({ http }) => http.path);
  for (const path of [...paths.keys()].sort(compare)) {
    const owned = paths.get(path) ?? [];
    const isSlashed = owned.some(({ http }) => http.trailingSlash === true);
    const route = app.route(isSlashed ? [expressPath(path), expressPath(`${path}/`)] : expressPath(path));
    route.all(
      middleware((context) => {
        context.route = path;
      }),
    );
    for (const [method, same] of groupBy(owned, ({ http }) => http.method)) {
      const versions = new Set(same.map(({ http }) => http.version));
      if (versions.size < same.length || (versions.size > 1 && versions.has(undefined)))
        throw new Error(`two contracts have the route ${method} ${path}`);
      const [first] = same;
      const name = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
      if (first && first.http.version === undefined) route[name](...handlersOf(first));
      else route[name](byVersion(same, handlersOf));
    }
    route.all(handler(otherMethods(owned, options)));
    route.all(errorHandler((context, error) => options.responder.refuse(context, error)) as never);
  }
}
