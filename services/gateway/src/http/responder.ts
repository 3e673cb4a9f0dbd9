import { createReadStream } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { ServiceError, unavailable } from '@receipts/kernel';
import { internalError } from '../errors';
import type { Log } from '../log-port';
import { discard } from './discard';
import { BadConnection } from './wire-checks';
import type { RequestContext } from './request-context';
import { indentJson } from './indent-json';
import { quotaHeaders } from './quota';
import { refusalPage } from './refusal-page';
import type { StoredFile } from './stored-file';

export interface ResponderOptions {
  readonly log: Log;
  /** Called once for every answer, for the metrics. */
  readonly observe?: (route: string, method: string, status: number, seconds: number) => void;
  /** True where callers use HTTPS: the answer then has the header Strict-Transport-Security. */
  readonly httpsOnly: boolean;
  /** True while the process stops: connections are then closed after the answer. */
  readonly isDraining: () => boolean;
}

/** A list becomes one header line per value. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A stream is sent in chunks, as its length is not known. */
export type Content = Buffer | StoredFile | Readable;

export interface Responder {
  /** Sends an answer. Header names are in lower case and override the default ones. */
  reply(context: RequestContext, status: number, headers: Headers, body: Content | undefined): void;
  /** Answers with an error, in the interface's form. */
  refuse(context: RequestContext, error: unknown): void;
}

export const jsonType = 'application/json';

/**
 * How long a connection stays open after a caller was refused before its body was read, so that it can read the answer.
 */
const lingerMs = 1_000;
/** The status in logs and metrics of a request whose caller has disconnected, as nginx has it. */
const disconnected = 499;
const retryAfterSeconds = 5;
const retryAfterJitterSeconds = 2;

const usualHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const strictTransport = 'max-age=31536000; includeSubDomains';

export function reasonOf(status: number): string {
  return (STATUS_CODES[status] ?? 'error').toLowerCase();
}

/** Random seconds, so that callers do not all come back at the same time. */
function retryAfter(): string {
  const jitter = Math.round((Math.random() * 2 - 1) * retryAfterJitterSeconds);
  return String(retryAfterSeconds + jitter);
}

/** The error body (docs/interface.md, "Errors"). */
export function errorBody(error: ServiceError, requestId: string): Buffer {
  const { status, description, code, errors, extra } = error;
  const body = {
    ...extra,
    description,
    status: reasonOf(status),
    ...(code !== undefined && { code }),
    ...(errors && { errors }),
    request_id: requestId,
  };
  return Buffer.from(JSON.stringify(body));
}

export function errorHeaders(error: ServiceError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': jsonType };
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  for (const [name, value] of Object.entries(error.headers ?? {})) headers[name.toLowerCase()] = value;
  if (error.status === unavailable.status) headers['retry-after'] ??= retryAfter();
  return headers;
}

export function createResponder(options: ResponderOptions): Responder {
  const { log, observe, isDraining } = options;
  const standing = options.httpsOnly
    ? { ...usualHeaders, 'strict-transport-security': strictTransport }
    : usualHeaders;
  const standingNames = Object.keys(standing);
  const standingList = Object.entries<string>(standing).flat();

  /** A flat list of names and values, which Node writes without building an object first. */
  function headList(context: RequestContext, headers: Headers): string[] {
    const names = Object.keys(headers);
    const overridden = names.some((name) => standingNames.includes(name));
    const list = overridden
      ? standingNames.filter((name) => !(name in headers)).flatMap((name) => [name, standing[name] ?? ''])
      : [...standingList];
    for (const name of names) {
      const value = headers[name] ?? '';
      if (typeof value === 'string') list.push(name, value);
      else for (const each of value) list.push(name, each);
    }
    list.push('request-id', context.requestId, 'traceparent', context.traceparent);
    if (context.quota) list.push(...quotaHeaders(context.quota));
    if (context.crossOrigin) list.push(...context.crossOrigin);
    if (context.version !== undefined)
      list.push('service-api-version', context.version, 'vary', 'service-api-version');
    return list;
  }

  function record(context: RequestContext, status: number): void {
    const ms = performance.now() - context.startedAt;
    const method = context.req.method ?? '';
    observe?.(context.route, method, status, ms / 1000);
    const { trace, route, retailer, requestId } = context;
    trace.ended?.({ method, route, status, retailer, requestId });
    context.release();
    const fields = {
      request_id: context.requestId,
      trace_id: context.trace.traceId,
      method,
      route: context.route,
      status,
      ms: Math.round(ms * 100) / 100,
      ...(context.retailer !== '' && { retailer: context.retailer }),
      ...(context.caller.principal.kind !== 'service' && { principal: context.caller.principal.id }),
    };
    if (status >= 500) log.warn('request', fields);
    else log.info('request', fields);
  }

  /** After the head is sent, an error can only be shown by closing the connection before the end of the body. */
  function stream(context: RequestContext, status: number, body: Readable): void {
    pipeline(body, context.res, (error) => {
      if (!error) return record(context, status);
      if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return record(context, disconnected);
      const { requestId, route } = context;
      log.warn('an answer could not be completed', { request_id: requestId, route, cause: error });
      record(context, error instanceof ServiceError ? error.status : internalError.status);
    });
  }

  function reply(
    context: RequestContext,
    status: number,
    headers: Headers,
    content: Content | undefined,
  ): void {
    const { req, res } = context;
    if (context.answered) return;
    const isJson = headers['content-type'] === jsonType;
    const body = Buffer.isBuffer(content) && isJson && context.pretty ? indentJson(content) : content;
    const head = headList(context, headers);
    if (status !== 204 && status !== 304 && !(body instanceof Readable)) {
      head.push('content-length', String(body?.length ?? 0));
    }
    const unread = context.hasUnreadBody;
    if (unread || context.closing || isDraining()) head.push('connection', 'close');
    res.writeHead(status, head);
    context.answered = true;
    if (body instanceof Readable && req.method !== 'HEAD') {
      stream(context, status, body);
      return;
    }
    record(context, status);
    if (body && !Buffer.isBuffer(body)) {
      if (req.method === 'HEAD') res.end();
      // If the caller disconnects, reading stops; if the file cannot be read, the connection is closed.
      else if (!(body instanceof Readable)) pipeline(createReadStream(body.file), res, () => undefined);
      return;
    }
    if (!unread || context.expectsInvitation) {
      res.end(body);
      return;
    }
    // The whole answer is sent, but the connection stays open for a moment while what the caller still sends is
    // discarded: closing it at once would reset the connection, and the caller would never see the answer.
    if (body && req.method !== 'HEAD') res.write(body);
    else res.flushHeaders();
    const close = () => {
      clearTimeout(timer);
      res.end();
    };
    const timer = setTimeout(close, lingerMs);
    req.once('end', close).once('close', close);
    discard(req);
  }

  function refuse(context: RequestContext, thrown: unknown): void {
    if (context.answered) return;
    if (context.res.destroyed) {
      context.answered = true;
      record(context, disconnected);
      return;
    }
    const error =
      thrown instanceof ServiceError ? thrown : new ServiceError(internalError, { cause: thrown });
    if (error !== thrown) {
      log.error('a request failed unexpectedly', {
        request_id: context.requestId,
        route: context.route,
        error: thrown,
      });
    }
    if (error instanceof BadConnection) context.closing = true;
    try {
      const headers = errorHeaders(error);
      if (context.prefersPage) {
        const page = refusalPage(error.status, error.description, context.requestId);
        reply(context, error.status, { ...headers, ...page.headers }, page.body);
        return;
      }
      reply(context, error.status, headers, errorBody(error, context.requestId));
    } catch (unwritten) {
      // An invalid header from an owner must not crash the process.
      log.error('an answer could not be written', {
        request_id: context.requestId,
        route: context.route,
        error: unwritten,
      });
      const bare = new ServiceError(internalError);
      reply(context, bare.status, { 'content-type': jsonType }, errorBody(bare, context.requestId));
    }
  }

  return { reply, refuse };
}
