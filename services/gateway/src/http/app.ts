import { ServiceError } from '@receipts/kernel';
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { Authenticator } from '../authentication/authenticator';
import { badEncoding, routeNotFound } from '../errors';
import {
  type CallerLimits,
  allowOrigin,
  authenticate,
  authorize,
  checkUpstream,
  checkWire,
  isForPages,
  limitCaller,
  limitConcurrency,
  negotiate,
  readBody,
  readParameters,
  verifyInput,
} from './endpoint-middleware';
import type { ContractEdge } from './contract-edge';
import type { CrossOrigin } from './cross-origin';
import { Forwarding, type ForwardOptions } from './forward';
import { errorHandler, handler, middleware, type Step } from './middleware';
import type { MountedContract } from './mounted-contract';
import { PageServer, type Page } from './pages';
import type { BodyBounds } from './request-body';
import { GatewayRequest, GatewayResponse } from './request-context';
import { mountRoutes, type Contracts } from './routes';
import { Upstream, type UpstreamOptions } from './upstream';

export interface AppOptions extends UpstreamOptions, CallerLimits, ForwardOptions, BodyBounds {
  readonly authenticator: Authenticator;
  readonly crossOrigin: CrossOrigin;
}

/** The middleware of an endpoint, in their order. The comments say with which statuses each refuses requests. */
export function endpointHandlers(contract: MountedContract, options: AppOptions): RequestHandler[] {
  const upstream = new Upstream(contract, options);
  const steps: (Step | undefined)[] = [
    negotiate(contract), // 400, 406
    isForPages(contract) ? allowOrigin(options.crossOrigin) : undefined,
    authenticate(contract, options.authenticator), // 401, 403
    limitCaller(contract, options), // 429
    authorize(contract), // 403
    checkUpstream(upstream), // 503
    readParameters(contract, options.trustedProxies), // 400
    readBody(contract, options), // 400, 408, 413, 415, 422, 429, 503
    verifyInput(contract as unknown as ContractEdge), // 403, 422
  ];
  const forwarding = new Forwarding(contract, upstream, options);
  return [...steps.filter((step) => step !== undefined).map(middleware), handler(forwarding.answer)];
}

/** The application: every contract with a route, and the gateway's own pages. */
export function createApp(
  contracts: readonly Contracts[],
  pages: readonly Page[],
  options: AppOptions,
): Express {
  const { responder, crossOrigin, requests, limits } = options;
  const app = preparedApp();
  app.use(middleware(checkWire(limits))); // 400, 413, 414, 417
  app.use(middleware(limitConcurrency(requests))); // 503
  mountRoutes(app, contracts, options, (contract) => endpointHandlers(contract, options));
  const server = new PageServer(options);
  for (const page of pages) app.all(page.path, handler(server.answer(page)));
  app.use(handler((context) => responder.refuse(context, new ServiceError(routeNotFound))));
  // Only for what was refused before routing: routes handle their own errors.
  app.use(
    errorHandler(async (context, error) => {
      await crossOrigin.allowUnrouted(context);
      const isBadPath = error instanceof URIError;
      responder.refuse(context, isBadPath ? new ServiceError(badEncoding, { cause: error }) : error);
    }),
  );
  return app;
}

/**
 * Express sets the prototypes of every request and response to those of its app. Changing a prototype costs more than
 * half of Express's time per request. The server creates requests and responses with these prototypes from the start, so
 * that setting them changes nothing.
 */
function preparedApp(): Express {
  const app = express();
  for (const [prototype, parent] of [
    [GatewayRequest.prototype, express.request],
    [GatewayResponse.prototype, express.response],
  ] as const) {
    Object.setPrototypeOf(prototype, parent);
    Object.defineProperty(prototype, 'app', { configurable: true, writable: true, value: app });
  }
  app.request = GatewayRequest.prototype as unknown as Request;
  app.response = GatewayResponse.prototype as unknown as express.Response;
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  return app.enable('case sensitive routing').enable('strict routing');
}
