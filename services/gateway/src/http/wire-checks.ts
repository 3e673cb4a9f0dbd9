import type { IncomingMessage } from 'node:http';
import { ServiceError, tooLarge } from '@receipts/kernel';
import { badEncoding, badRequest, headersTooLarge, queryTooLarge } from '../errors';
import { pathBytesMax, type SizeLimits } from './limits';

export interface Address {
  /** Still percent-encoded, but known to be decodable. */
  readonly path: string;
  /** The part after the question mark, still encoded. */
  readonly query: string;
}

/** An error after which the connection is closed: the bytes that follow may be part of a request-smuggling attack. */
export class BadConnection extends ServiceError {}

const visible = /^[\x21-\x7e]*$/;

function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url;
  // A proxy may send the absolute form (RFC 9112, section 3.2.2). The authority in it is not used.
  const match = /^https?:\/\/[^/?#]*/i.exec(url);
  if (!match) return url;
  const rest = url.slice(match[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function checkPath(path: string): void {
  if (!path.includes('%')) return;
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch (cause) {
    throw new ServiceError(badEncoding, { cause });
  }
  if (decoded.includes('\0')) throw new ServiceError(badEncoding, { description: 'the path contains a NUL' });
}

/**
 * Splits the request target and checks the size and encoding of its parts.
 * @param basePath the public prefix of the service, which a proxy may have removed.
 * @throws ServiceError 414 for a query string above the limit, 400 for a path that cannot be decoded.
 */
export function addressOf(target: string, limits: SizeLimits, basePath: string): Address {
  const url = withoutOrigin(target);
  const mark = url.indexOf('?');
  const query = mark < 0 ? '' : url.slice(mark + 1);
  if (query.length > limits.queryBytesMax)
    throw tooLarge(queryTooLarge, 'the query string', limits.queryBytesMax);
  let path = mark < 0 ? url : url.slice(0, mark);
  if (path.length > pathBytesMax) {
    throw tooLarge(queryTooLarge, 'the path', pathBytesMax);
  }
  if (!visible.test(url) || url.includes('#')) throw new ServiceError(badEncoding);
  checkPath(path);
  if (basePath !== '' && path.startsWith(basePath) && path[basePath.length] === '/') {
    path = path.slice(basePath.length);
  }
  return { path, query };
}

/**
 * Checks the raw headers: their sizes and count, and anything that two servers could interpret differently.
 * @throws ServiceError 413 for sizes; BadConnection 400 for a missing or repeated Host, a repeated Authorization, and
 * transfer codings other than chunked.
 */
export function checkHeaders(req: IncomingMessage, limits: SizeLimits): void {
  const { hosts, authorizations } = countHeaders(req.rawHeaders, limits);
  if (req.httpVersionMajor !== 1) throw new BadConnection(badRequest);
  if (hosts > 1 || (hosts === 0 && req.httpVersionMinor === 1)) {
    throw new BadConnection(badRequest, { description: 'the Host header must be given once' });
  }
  // Node would use the first value, but another server might use the last.
  if (authorizations > 1) {
    throw new BadConnection(badRequest, { description: 'the Authorization header must be given once' });
  }
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || req.httpVersionMinor === 0)) {
    throw new BadConnection(badRequest, { description: 'the transfer encoding is not supported' });
  }
}

function countHeaders(raw: readonly string[], limits: SizeLimits) {
  let total = 0;
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    // Node decodes header bytes as Latin-1, so the length in characters is the length in bytes.
    const bytes = name.length + (raw[i + 1] ?? '').length;
    if (bytes > limits.headerBytesMax)
      throw tooLarge(headersTooLarge, `the header ${name.toLowerCase()}`, limits.headerBytesMax);
    total += bytes + 4;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
  }
  if (total > limits.headersBytesMax)
    throw tooLarge(headersTooLarge, 'the sum of all headers', limits.headersBytesMax);
  if (raw.length / 2 > limits.headerCountMax) {
    throw new ServiceError(headersTooLarge, {
      description: `there are more than ${limits.headerCountMax} headers`,
    });
  }
  return { hosts, authorizations };
}
