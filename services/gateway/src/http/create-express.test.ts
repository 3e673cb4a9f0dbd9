import { Socket } from 'node:net';
import express, { type Express, type Request, type Response } from 'express';
import { createExpress } from './create-express';
import { GatewayRequest, GatewayResponse } from './request-context';

/** Lets an application handle a request, and returns the request and the response. */
function handledBy(app: Express) {
  const req = new GatewayRequest(new Socket());
  const res = new GatewayResponse(req);
  Object.assign(req, { method: 'GET', url: '/' });
  app(req as unknown as Request, res as unknown as Response, () => {});
  return { req: req as unknown as Request, res: res as unknown as Response };
}

test('keeps the prototypes of requests and responses, which have the methods of Express', () => {
  const app = createExpress();
  const { req, res } = handledBy(app);
  expect(Object.getPrototypeOf(req)).toBe(GatewayRequest.prototype);
  expect(Object.getPrototypeOf(res)).toBe(GatewayResponse.prototype);
  expect(req.app).toBe(app);
  expect(res.app).toBe(app);
  expect([req.accepts('json'), res.status(204).statusCode]).toEqual(['json', 204]);
});

/** If this fails, Express leaves the prototypes alone, and `createExpress` need not replace them. */
test('Express sets the prototypes of each request and response', () => {
  const app = express();
  const { req, res } = handledBy(app);
  expect(Object.getPrototypeOf(req)).toBe(app.request);
  expect(Object.getPrototypeOf(res)).toBe(app.response);
});
