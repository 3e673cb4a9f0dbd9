import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { GatewayRequest, RequestContext } from './request-context';

/** Checks or prepares a request. It rejects the request by throwing an error. */
export type Step = (context: RequestContext) => void | Promise<void>;

export function contextOf(req: Request): RequestContext {
  const { context } = req as unknown as GatewayRequest;
  if (!context) throw new Error('the request did not come through the gateway');
  return context;
}

/** A middleware of Express. It continues synchronously where the step needs no promise. */
export function middleware(step: Step): RequestHandler {
  return (req, _res, next) => {
    const done = step(contextOf(req));
    if (done === undefined) next();
    else done.then(() => next(), next);
  };
}

/** The last handler of a route, which sends the response. */
export function handler(answer: Step): RequestHandler {
  return (req) => answer(contextOf(req));
}

/** An error handler, which sends the response. */
export function errorHandler(
  answer: (context: RequestContext, error: unknown) => void | Promise<void>,
): ErrorRequestHandler {
  // Express recognizes error handlers by their number of parameters.
  return (error: unknown, req, _res, _next) => answer(contextOf(req), error);
}
