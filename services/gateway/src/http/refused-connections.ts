import type { Duplex } from 'node:stream';
import { newId, ServiceError, tooLarge, type Log } from '@receipts/kernel';
import { badRequest, headersTooLarge, requestTimeout } from '../errors';
import { discard } from './discard';
import { parserHeaderBytesMax } from './limits';
import { errorBody, errorHeaders, reasonOf } from './responder';

interface ParserError extends Error {
  readonly code?: string | undefined;
}

interface HttpSocket extends Duplex {
  /** Node's private reference to the response in progress on this connection. */
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

interface ConnectionOptions {
  readonly log: Log;
  /** The public prefix of the service. */
  readonly basePath: string;
}

const lingerMs = 1_000;

function refusalFor({ code }: ParserError): ServiceError {
  // The parser does not report whether the request line or the headers were too long.
  if (code === 'HPE_HEADER_OVERFLOW')
    return tooLarge(headersTooLarge, 'the request line with all headers', parserHeaderBytesMax);
  return new ServiceError(code === 'ERR_HTTP_REQUEST_TIMEOUT' ? requestTimeout : badRequest);
}

/**
 * Responds to requests that Node's parser rejected, with the interface's error body. Nothing is sent if a response has
 * begun on the connection, because the bytes would become part of that response.
 */
export function refuseConnection(
  { log, basePath }: ConnectionOptions,
  error: ParserError,
  socket: HttpSocket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // Responses are written in one piece, so a response that has begun is complete but may not have been sent yet.
  if (socket._httpMessage?.headersSent === true) closeSoon(socket);
  else closeSoon(socket, refusalOf({ log, basePath }, error));
}

/** Briefly reads and discards the rest of the request, so that a TCP reset does not overtake the response. */
function closeSoon(socket: Duplex, answer?: Buffer): void {
  socket.end(answer);
  discard(socket);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function refusalOf({ log, basePath }: ConnectionOptions, error: ParserError): Buffer {
  const requestId = newId();
  const refusal = refusalFor(error);
  const body = errorBody(refusal, requestId, basePath);
  const headers: Record<string, string> = {
    ...errorHeaders(refusal),
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'request-id': requestId,
    connection: 'close',
    date: new Date().toUTCString(),
  };
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  log.info('connection refused', { request_id: requestId, status: refusal.status, reason: error.code });
  const line = `HTTP/1.1 ${refusal.status} ${reasonOf(refusal.status)}\r\n`;
  return Buffer.concat([Buffer.from(`${line}${head}\r\n`), body]);
}
