import { createReadStream } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { ServiceError, unavailable } from '@receipts/kernel';
import { internalError } from '../errors';
import type { Log } from '../log-port';
import { discard } from './discard';
import { BadConnection } from './edge';
import type { Exchange } from './exchange';
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
  reply(exchange: Exchange, status: number, headers: Headers, body: Content | undefined): void;
  /** Answers with an error, in the interface's form. */
  refuse(exchange: Exchange, error: unknown): void;
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
  function headList(exchange: Exchange, headers: Headers): string[] {
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
    list.push('request-id', exchange.requestId, 'traceparent', exchange.traceparent);
    if (exchange.quota) list.push(...quotaHeaders(exchange.quota));
    if (exchange.crossOrigin) list.push(...exchange.crossOrigin);
    if (exchange.version !== undefined)
      list.push('service-api-version', exchange.version, 'vary', 'service-api-version');
    return list;
  }

  function record(exchange: Exchange, status: number): void {
    const ms = performance.now() - exchange.startedAt;
    const method = exchange.req.method ?? '';
    observe?.(exchange.route, method, status, ms / 1000);
    const { trace, route, retailer, requestId } = exchange;
    trace.ended?.({ method, route, status, retailer, requestId });
    exchange.reservation?.release();
    exchange.onAnswered?.();
    const fields = {
      request_id: exchange.requestId,
      trace_id: exchange.trace.traceId,
      method,
      route: exchange.route,
      status,
      ms: Math.round(ms * 100) / 100,
      ...(exchange.retailer !== '' && { retailer: exchange.retailer }),
      ...(exchange.principal !== '' && { principal: exchange.principal }),
    };
    if (status >= 500) log.warn('request', fields);
    else log.info('request', fields);
  }

  /** After the head is sent, an error can only be shown by closing the connection before the end of the body. */
  function stream(exchange: Exchange, status: number, body: Readable): void {
    pipeline(body, exchange.res, (error) => {
      if (!error) return record(exchange, status);
      if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return record(exchange, disconnected);
      const { requestId, route } = exchange;
      log.warn('an answer could not be completed', { request_id: requestId, route, cause: error });
      record(exchange, error instanceof ServiceError ? error.status : internalError.status);
    });
  }

  function reply(exchange: Exchange, status: number, headers: Headers, content: Content | undefined): void {
    const { req, res } = exchange;
    if (exchange.answered) return;
    const isJson = headers['content-type'] === jsonType;
    const body = Buffer.isBuffer(content) && isJson && exchange.pretty ? indentJson(content) : content;
    const head = headList(exchange, headers);
    if (status !== 204 && status !== 304 && !(body instanceof Readable)) {
      head.push('content-length', String(body?.length ?? 0));
    }
    const unread = exchange.hasUnreadBody;
    if (unread || exchange.closing || isDraining()) head.push('connection', 'close');
    res.writeHead(status, head);
    exchange.answered = true;
    if (body instanceof Readable && req.method !== 'HEAD') {
      stream(exchange, status, body);
      return;
    }
    record(exchange, status);
    if (body && !Buffer.isBuffer(body)) {
      if (req.method === 'HEAD') res.end();
      // If the caller disconnects, reading stops; if the file cannot be read, the connection is closed.
      else if (!(body instanceof Readable)) pipeline(createReadStream(body.file), res, () => undefined);
      return;
    }
    if (!unread || exchange.expectsInvitation) {
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

  function refuse(exchange: Exchange, thrown: unknown): void {
    if (exchange.answered) return;
    if (exchange.res.destroyed) {
      exchange.answered = true;
      record(exchange, disconnected);
      return;
    }
    const error =
      thrown instanceof ServiceError ? thrown : new ServiceError(internalError, { cause: thrown });
    if (error !== thrown) {
      log.error('a request failed unexpectedly', {
        request_id: exchange.requestId,
        route: exchange.route,
        error: thrown,
      });
    }
    if (error instanceof BadConnection) exchange.closing = true;
    try {
      const headers = errorHeaders(error);
      if (exchange.prefersPage) {
        const page = refusalPage(error.status, error.description, exchange.requestId);
        reply(exchange, error.status, { ...headers, ...page.headers }, page.body);
        return;
      }
      reply(exchange, error.status, headers, errorBody(error, exchange.requestId));
    } catch (unwritten) {
      // An invalid header from an owner must not crash the process.
      log.error('an answer could not be written', {
        request_id: exchange.requestId,
        route: exchange.route,
        error: unwritten,
      });
      const bare = new ServiceError(internalError);
      reply(exchange, bare.status, { 'content-type': jsonType }, errorBody(bare, exchange.requestId));
    }
  }

  return { reply, refuse };
}
