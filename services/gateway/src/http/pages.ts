import { createHash } from 'node:crypto';
import { ServiceError } from '@receipts/kernel';
import type { RequestHandler } from 'express';
import { notAcceptable } from '../errors';
import { isPretty, queryReader } from '../parameters/parameters';
import { parseQuery } from '../parameters/query-string';
import { accepts } from './media-type';
import { contextOf } from './middleware';
import { RateLimiter } from './request-limits';
import { takeQuota, type RequestContext } from './request-context';
import type { Responder } from './responder';
import { notAllowed } from './routes';
import type { StoredFile } from './stored-file';

/** A document that the gateway itself serves, such as the API description. */
export interface Page {
  readonly path: string;
  /** Defaults to 200. */
  readonly status?: number;
  readonly contentType: string;
  readonly body: Buffer | StoredFile;
  readonly headers?: Readonly<Record<string, string>>;
}

/** More than a reader needs. It limits the cost of a program that downloads the large pages in a loop. */
const requestsMax = 600;
const perSeconds = 60;
const notModified = 304;

function digestOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Serves pages, with a limit per address. */
class PageServer {
  private readonly limiter = new RateLimiter(requestsMax / perSeconds, perSeconds);
  private readonly readQuery = queryReader(undefined);

  constructor(private readonly responder: Responder) {}

  answer({ path, status, contentType, body, headers: own }: Page): (context: RequestContext) => void {
    const { responder } = this;
    const type = contentType.split(';', 1)[0] ?? '';
    const headers: Record<string, string> = {
      'content-type': contentType,
      'cache-control': 'no-cache',
      ...(status === undefined && Buffer.isBuffer(body) && { etag: digestOf(body) }),
      ...own,
    };
    const { etag } = headers;
    return (context) => {
      const { req } = context;
      context.route = path;
      context.limitByNetwork();
      takeQuota(context, this.limiter);
      if (req.method !== 'GET' && req.method !== 'HEAD') throw notAllowed(['GET']);
      if (status === undefined && !accepts(req.headers.accept, type)) throw new ServiceError(notAcceptable);
      const args = parseQuery(context.queryText);
      context.pretty = isPretty(args);
      this.readQuery(args);
      if (etag !== undefined && req.headers['if-none-match']?.includes(etag) === true) {
        responder.reply(context, notModified, headers, undefined);
      } else responder.reply(context, status ?? 200, headers, body);
    };
  }
}

/** Answers requests for pages. One look-up takes the same time however many pages there are. */
export function servePages(pages: readonly Page[], responder: Responder): RequestHandler {
  const server = new PageServer(responder);
  const answers = new Map(pages.map((page) => [page.path, server.answer(page)]));
  return (req, _res, next) => {
    const context = contextOf(req);
    const answer = answers.get(context.path);
    if (answer) answer(context);
    else next();
  };
}
