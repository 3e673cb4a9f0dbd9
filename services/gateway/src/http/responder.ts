import { createReadStream } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { errorPage, type ClientCall } from '@receipts/contracts';
import { ServiceError, unavailable, type Log } from '@receipts/kernel';
import type { Caller } from '../authentication/caller';
import { internalError } from '../errors';
import { discard } from './discard';
import { BadConnection } from './wire-checks';
import type { RequestContext } from './request-context';
import { indentJson } from './indent-json';
import { quotaHeaders } from './quota';
import { refusalPage, siteOf } from './refusal-page';
import type { StoredFile } from './stored-file';

export interface ResponderOptions {
  readonly log: Log;
  /** Called once for every response, for the metrics. */
  readonly observe?: (route: string, method: string, status: number, seconds: number) => void;
  /** Called once for every response, so that the caller can look it up later. */
  readonly noteCall?: (caller: Caller, call: ClientCall) => void;
  /** True if callers use HTTPS: the response then has the header Strict-Transport-Security. */
  readonly httpsOnly: boolean;
  /** True while the process stops: connections are then closed after the response. */
  readonly isDraining: () => boolean;
  /** The public prefix of the service. */
  readonly basePath: string;
}

/** A list is sent as one header line per value. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A stream is sent in chunks, as its length is not known. */
export type Content = Buffer | StoredFile | Readable;

export const jsonType = 'application/json';

/**
 * How long a connection stays open after a request was rejected before its body was read, so that the caller can read
 * the response.
 */
const lingerMs = 1_000;
/** The status in logs and metrics for a request whose caller has disconnected, as in nginx. */
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

/** Random seconds, so that callers do not all retry at the same time. */
function retryAfter(): string {
  const jitter = Math.round((Math.random() * 2 - 1) * retryAfterJitterSeconds);
  return String(retryAfterSeconds + jitter);
}

/** The error body (docs/interface.md, "Errors"). */
export function errorBody(error: ServiceError, requestId: string, basePath = ''): Buffer {
  const { status, description, code, errors, extra } = error;
  const body = {
    ...extra,
    description,
    status: reasonOf(status),
    ...(code !== undefined && { code }),
    ...(errors && { errors }),
    ...(code !== undefined && { doc_url: errorPage(code, basePath) }),
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

/** Sends the responses to requests. */
export class Responder {
  private readonly standing: Readonly<Record<string, string>>;
  private readonly standingList: readonly string[];

  constructor(private readonly options: ResponderOptions) {
    this.standing = options.httpsOnly
      ? { ...usualHeaders, 'strict-transport-security': strictTransport }
      : usualHeaders;
    this.standingList = Object.entries(this.standing).flat();
  }

  /** Sends a response. Header names are in lower case and override the defaults. */
  reply(context: RequestContext, status: number, headers: Headers, content: Content | undefined): void {
    if (context.answered) return;
    const isIndented = context.pretty && headers['content-type'] === jsonType;
    const body = isIndented && Buffer.isBuffer(content) ? indentJson(content) : content;
    const head = this.headList(context, headers);
    if (status !== 204 && status !== 304 && !(body instanceof Readable)) {
      head.push('content-length', String(body?.length ?? 0));
    }
    const unread = context.hasUnreadBody;
    if (this.isLast(context, unread)) head.push('connection', 'close');
    context.res.writeHead(status, head);
    context.answered = true;
    const sent = context.req.method === 'HEAD' ? undefined : body;
    if (sent instanceof Readable) {
      this.stream(context, status, sent);
      return;
    }
    this.record(context, status);
    if (unread && !context.expectsInvitation) linger(context, sent);
    else send(context, sent);
  }

  /** True if the connection is closed after the response. */
  private isLast({ closing }: RequestContext, unread: boolean): boolean {
    return unread || closing || this.options.isDraining();
  }

  /** Responds with an error body as defined by the interface. */
  refuse(context: RequestContext, thrown: unknown): void {
    if (context.answered) return;
    if (context.res.destroyed) {
      context.answered = true;
      this.record(context, disconnected);
      return;
    }
    const error =
      thrown instanceof ServiceError ? thrown : new ServiceError(internalError, { cause: thrown });
    if (error !== thrown) this.logError('a request failed unexpectedly', context, thrown);
    if (error instanceof BadConnection) context.closing = true;
    try {
      this.replyError(context, error);
    } catch (unwritten) {
      // An invalid header from an owner must not crash the process.
      this.logError('a response could not be written', context, unwritten);
      const bare = new ServiceError(internalError);
      this.reply(context, bare.status, { 'content-type': jsonType }, errorBody(bare, context.requestId));
    }
  }

  private replyError(context: RequestContext, error: ServiceError): void {
    const headers = errorHeaders(error);
    if (context.prefersPage) {
      const { status, description } = error;
      const refusal = { status, description, requestId: context.requestId };
      const site = siteOf(context.req.url ?? '', this.options.basePath);
      const page = error.page ?? refusalPage(refusal, context.req.headers['accept-language'], site);
      const pageHeaders = {
        'content-type': 'text/html; charset=utf-8',
        'content-language': page.language,
        'content-security-policy': page.contentSecurityPolicy,
      };
      this.reply(context, error.status, { ...headers, ...pageHeaders }, Buffer.from(page.html));
    } else
      this.reply(context, error.status, headers, errorBody(error, context.requestId, this.options.basePath));
  }

  /** A flat list of names and values, which Node writes without building an object first. */
  private headList(context: RequestContext, headers: Headers): string[] {
    const { standing } = this;
    const names = Object.keys(headers);
    const list = names.some((name) => name in standing)
      ? Object.entries(standing).flatMap(([name, value]) => (name in headers ? [] : [name, value]))
      : [...this.standingList];
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

  private record(context: RequestContext, status: number): void {
    const { log, observe, noteCall } = this.options;
    const { trace, route, retailer, requestId, caller } = context;
    const ms = performance.now() - context.startedAt;
    const method = context.req.method ?? '';
    observe?.(route, method, status, ms / 1000);
    noteCall?.(caller, { at: Date.now(), method, route, status, request_id: requestId });
    trace.ended?.({ method, route, status, retailer, requestId });
    context.release();
    const fields = {
      request_id: requestId,
      trace_id: trace.traceId,
      method,
      route,
      status,
      ms: Math.round(ms * 100) / 100,
      ...(retailer !== '' && { retailer }),
      ...(caller.principal.kind !== 'service' && { principal: caller.principal.id }),
    };
    if (status >= 500) log.warn('request', fields);
    else log.info('request', fields);
  }

  /** After the head is sent, an error can only be shown by closing the connection before the end of the body. */
  private stream(context: RequestContext, status: number, body: Readable): void {
    pipeline(body, context.res, (error) => {
      if (!error) return this.record(context, status);
      if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return this.record(context, disconnected);
      const { requestId, route } = context;
      this.options.log.warn('a response could not be completed', {
        request_id: requestId,
        route,
        cause: error,
      });
      this.record(context, error instanceof ServiceError ? error.status : internalError.status);
    });
  }

  private logError(message: string, { requestId, route }: RequestContext, error: unknown): void {
    this.options.log.error(message, { request_id: requestId, route, error });
  }
}

function send({ res }: RequestContext, body: Buffer | StoredFile | undefined): void {
  // If the caller disconnects, reading stops; if the file cannot be read, the connection is closed.
  if (body && !Buffer.isBuffer(body)) pipeline(createReadStream(body.file), res, () => undefined);
  else res.end(body);
}

/**
 * Sends the whole response, but keeps the connection open for a moment while the rest of the request is discarded:
 * closing it immediately would reset the connection, and the caller would never see the response.
 */
function linger(context: RequestContext, body: Buffer | StoredFile | undefined): void {
  const { req, res } = context;
  if (body && !Buffer.isBuffer(body)) {
    send(context, body);
    return;
  }
  if (body) res.write(body);
  else res.flushHeaders();
  const close = () => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(close, lingerMs);
  req.once('end', close).once('close', close);
  discard(req);
}
