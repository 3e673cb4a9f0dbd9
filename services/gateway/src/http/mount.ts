import { ServiceError, type Contract, type ContractShape } from '@receipts/kernel';
import type { Express, Request } from 'express';
import { methodNotAllowed, unsupportedVersion } from '../errors';
import { callerAddress } from './caller-address';
import { isPreflight } from './cross-origin';
import { Endpoint, type EndpointContext } from './endpoint';
import type { MountedContract } from './mounted-contract';
import type { Exchange } from './exchange';
import { takeRequest } from './rate-limits';

/** The contracts of one owner, as `@receipts/contracts` exports them. */
export type Contracts = Readonly<Record<string, Contract>>;

const versions = ['1', '2'] as const;
type Version = (typeof versions)[number];

/** One method of a path: one endpoint, or one per version. */
interface MethodTable {
  readonly plain?: Endpoint;
  readonly byVersion: Partial<Record<Version, Endpoint>>;
}

interface PathTable {
  readonly path: string;
  readonly methods: Map<string, MethodTable>;
}

export function isMounted(contract: ContractShape): contract is MountedContract {
  return contract.http !== undefined;
}

function addTo(table: PathTable, endpoint: Endpoint): void {
  const { method, version, path } = endpoint.route;
  const known = table.methods.get(method);
  const taken = version === undefined ? known : (known?.plain ?? known?.byVersion[version]);
  if (taken) throw new Error(`two contracts want ${method} ${path}`);
  table.methods.set(
    method,
    version === undefined
      ? { plain: endpoint, byVersion: {} }
      : { byVersion: { ...known?.byVersion, [version]: endpoint } },
  );
}

const parameterPattern = /\{([a-z_]+)\}/g;

function parameterCount(path: string): number {
  return path.match(parameterPattern)?.length ?? 0;
}

/**
 * Fixed paths first: `/receipts/_search` must not match as `/receipts/{id}`. Short ones first, as they are the most
 * frequent.
 */
function compare(a: PathTable, b: PathTable): number {
  return (
    parameterCount(a.path) - parameterCount(b.path) ||
    a.path.split('/').length - b.path.split('/').length ||
    (a.path < b.path ? -1 : 1)
  );
}

function pathTables(endpoints: readonly Endpoint[]): PathTable[] {
  const tables = new Map<string, PathTable>();
  for (const endpoint of endpoints) {
    const { path } = endpoint.route;
    const table = tables.get(path) ?? { path, methods: new Map<string, MethodTable>() };
    tables.set(path, table);
    addTo(table, endpoint);
  }
  return [...tables.values()].sort(compare);
}

/** The syntax of path-to-regexp. */
function expressPath(path: string): string {
  return path.replace(/[*+?!:()[\]\\]/g, '\\$&').replace(parameterPattern, ':$1');
}

function allowOf(methods: Iterable<string>): string {
  const allowed = new Set(methods);
  // Every path with GET also answers HEAD (RFC 9110, section 9.1).
  if (allowed.has('GET')) allowed.add('HEAD');
  return [...allowed].sort().join(', ');
}

export function notAllowed(methods: Iterable<string>): ServiceError {
  return new ServiceError(methodNotAllowed, { headers: { allow: allowOf(methods) } });
}

function versionOf(exchange: Exchange, table: MethodTable): Endpoint {
  if (table.plain) return table.plain;
  const asked = exchange.req.headers['service-api-version'] ?? '1';
  const version = versions.find((known) => known === asked);
  const endpoint = version && table.byVersion[version];
  if (!endpoint) throw new ServiceError(unsupportedVersion);
  exchange.version = version;
  return endpoint;
}

function methodsForPages(methods: PathTable['methods']): string[] {
  const isForPages = ({ plain, byVersion }: MethodTable) =>
    [plain, ...Object.values(byVersion)].some((endpoint) => endpoint?.isForPages === true);
  return [...methods].filter(([, table]) => isForPages(table)).map(([method]) => method);
}

/** Preflights are limited for each address, as nobody has authenticated them. */
function answerPreflight(exchange: Exchange, methods: readonly string[], context: EndpointContext): void {
  const { crossOrigin, responder, reads, trustedProxies } = context;
  exchange.limitedAs = `address/${callerAddress(exchange.req, trustedProxies)}`;
  takeRequest(exchange, reads, 'reads');
  crossOrigin.preflight(exchange, methods).then(
    (headers) => responder.reply(exchange, 204, headers, undefined),
    (error: unknown) => responder.refuse(exchange, error),
  );
}

/** Finds the exchange of an Express request. */
export type ExchangeOf = (req: Request) => Exchange;

/** Mounts all contracts that have a route. Throws when two have the same one. */
export function mountContracts(
  app: Express,
  contracts: readonly Contracts[],
  context: EndpointContext,
  exchangeOf: ExchangeOf,
): void {
  const endpoints = contracts
    .flatMap((owned) => Object.values(owned))
    .filter(isMounted)
    .map((contract) => new Endpoint(contract, context));
  for (const { path, methods } of pathTables(endpoints)) {
    const refusal = () => notAllowed(methods.keys());
    const pageMethods = methodsForPages(methods);
    app.all(expressPath(path), (req) => {
      const exchange = exchangeOf(req);
      exchange.route = path;
      const table = methods.get(req.method === 'HEAD' ? 'GET' : req.method);
      if (!table && pageMethods.length > 0 && isPreflight(exchange)) {
        answerPreflight(exchange, pageMethods, context);
        return;
      }
      if (!table) throw refusal();
      versionOf(exchange, table).serve(exchange, req.params as Record<string, string>);
    });
  }
}
