import express, { type Express, type Request, type Response } from 'express';
import { GatewayRequest, GatewayResponse } from './request-context';

/**
 * An Express application whose requests and responses have their final prototypes from the start. Express (5.3.0) sets
 * the prototypes of each request and response to those of its application, and changing a prototype costs more than half
 * of Express's time per request (November 2026). Here the server creates them with these prototypes, so setting them
 * again changes nothing. `app.request` and `app.response` are documented for this
 * (https://expressjs.com/en/guide/overriding-express-api.html); expressjs/express#5998 proposes it for Express itself.
 */
export function createExpress(): Express {
  const app = express();
  for (const [prototype, parent] of [
    [GatewayRequest.prototype, express.request],
    [GatewayResponse.prototype, express.response],
  ] as const) {
    Object.setPrototypeOf(prototype, parent);
    Object.defineProperty(prototype, 'app', { configurable: true, writable: true, value: app });
  }
  app.request = GatewayRequest.prototype as unknown as Request;
  app.response = GatewayResponse.prototype as unknown as Response;
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  return app.enable('case sensitive routing').enable('strict routing');
}
