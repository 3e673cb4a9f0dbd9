import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@receipts/kernel';
import express, { type Express, type Request } from 'express';
import { badEncoding, notAcceptable, routeNotFound } from '../errors';
import { callerAddress } from './caller-address';
import type { Exchange } from './exchange';
import { accepts } from './media-type';
import { mountContracts, notAllowed, type Contracts } from './mount';
import type { EndpointContext } from './endpoint';
import { isPretty, queryReader } from '../parameters/parameters';
import { RateLimiter, takeQuota } from './rate-limits';
import { parseQuery } from '../parameters/query-string';
import type { StoredFile } from './stored-file';

/** A document that the gateway itself serves, such as the API description. */
export interface Page {
  readonly path: string;
  /** 200 where absent. */
  readonly status?: number;
  readonly contentType: string;
  readonly body: Buffer | StoredFile;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An incoming request with its exchange. */
export class GatewayRequest extends IncomingMessage {
  exchange?: Exchange;
}
export class GatewayResponse extends ServerResponse<GatewayRequest> {}

/**
 * Express sets the prototypes of every request and response to those of its app. Changing a prototype costs more than
 * half of Express's time per request. The server creates requests and responses with these prototypes from the start, so
 * that setting them changes nothing.
 */
function prepare(app: Express): void {
  for (const [prototype, parent] of [
    [GatewayRequest.prototype, express.request],
    [GatewayResponse.prototype, express.response],
  ] as const) {
    Object.setPrototypeOf(prototype, parent);
    Object.defineProperty(prototype, 'app', { configurable: true, writable: true, value: app });
  }
  app.request = GatewayRequest.prototype as unknown as Request;
  app.response = GatewayResponse.prototype as unknown as express.Response;
}

function exchangeOf(req: Request): Exchange {
  const { exchange } = req as unknown as GatewayRequest;
  if (!exchange) throw new Error('the request did not come through the gateway');
  return exchange;
}

/** More than a person needs. It bounds the cost of a program that downloads the large pages in a loop. */
const pagesRequests = 600;
const pagesPerSeconds = 60;

const notModified = 304;

function digestOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

function mountPage(app: Express, page: Page, context: EndpointContext, limiter: RateLimiter): void {
  const type = page.contentType.split(';', 1)[0] ?? '';
  const query = queryReader(undefined);
  const headers: Record<string, string> = {
    'content-type': page.contentType,
    'cache-control': 'no-cache',
    ...(page.status === undefined && Buffer.isBuffer(page.body) && { etag: digestOf(page.body) }),
    ...page.headers,
  };
  app.all(page.path, (req) => {
    const exchange = exchangeOf(req);
    exchange.route = page.path;
    exchange.limitedAs = `address/${callerAddress(exchange.req, context.trustedProxies)}`;
    takeQuota(exchange, limiter);
    if (req.method !== 'GET' && req.method !== 'HEAD') throw notAllowed(['GET']);
    if (page.status === undefined && !accepts(req.headers.accept, type))
      throw new ServiceError(notAcceptable);
    const args = parseQuery(exchange.queryText);
    exchange.pretty = isPretty(args);
    query.read(args);
    const { etag } = headers;
    if (etag !== undefined && req.headers['if-none-match']?.includes(etag) === true) {
      context.responder.reply(exchange, notModified, headers, undefined);
      return;
    }
    context.responder.reply(exchange, page.status ?? 200, headers, page.body);
  });
}

/** The error for a request that no route answered, in the interface's form. */
function asServiceError(error: unknown): unknown {
  if (error === null || error === undefined || error === 'route') return new ServiceError(routeNotFound);
  return error instanceof URIError ? new ServiceError(badEncoding, { cause: error }) : error;
}

/** The application: every contract with a route, and the gateway's own pages. */
export interface App {
  handle(exchange: Exchange): void;
}

export function createApp(
  contracts: readonly Contracts[],
  pages: readonly Page[],
  context: EndpointContext,
): App {
  const app = express();
  prepare(app);
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  mountContracts(app, contracts, context, exchangeOf);
  const limiter = new RateLimiter(pagesRequests / pagesPerSeconds, pagesPerSeconds);
  for (const page of pages) mountPage(app, page, context, limiter);

  return {
    handle(exchange) {
      const req = exchange.req as GatewayRequest;
      req.exchange = exchange;
      req.url = exchange.path;
      app(req as unknown as Request, exchange.res as unknown as express.Response, (error?: unknown) => {
        context.responder.refuse(exchange, asServiceError(error));
      });
    },
  };
}
