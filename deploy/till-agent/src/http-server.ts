import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { statusLines, type StatusOptions } from './agent-status';
import { jobBytesMax } from './incoming-job';
import { uuidOf, type JobTaker } from './job-taker';
import { prometheusText } from './metrics';
import { NotTakenError } from './not-taken-error';
import { statusPage } from './status-page';

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly title: string;
  /** Distinguishes the keys of this agent's tills from those of others. */
  readonly agentId: string;
  readonly taker: JobTaker;
  readonly status: StatusOptions;
}

interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const retryAfterSeconds = '5';
const statuses = { queue_full: 503, disk_full: 507, job_too_large: 413 } as const;
const page = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
};
const metricsText = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

const json = (status: number, body: object, headers = {}): Response => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: `${JSON.stringify(body)}\n`,
});
const failure = (status: number, code: string, description: string, headers = {}): Response =>
  json(status, { code, description }, headers);

/** A web page must not make a browser on the till print, even through a host name that resolves to this machine. */
const isFromBrowser = ({ headers }: IncomingMessage) => headers.origin !== undefined;
const isLoopback = ({ socket }: IncomingMessage) =>
  /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '');

/** Metadata and properties of a job from the till. */
function metadataOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      return name.startsWith('service-') && name !== 'service-link' && typeof value === 'string';
    }),
  );
}

/** Accepts jobs by HTTP, and shows the status and metrics on this machine. */
export class HttpServer {
  private readonly server: Server;

  constructor(private readonly options: HttpServerOptions) {
    this.server = createServer((request, response) => {
      this.reply(request)
        .catch(() => failure(500, 'internal_error', 'The job was not accepted.'))
        .then(({ status, headers, body }) =>
          respond(request, response, { status, ...(headers && { headers }), body }),
        )
        .catch(() => response.destroy());
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** @throws Error if the address is in use */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port, this.options.host, resolve);
    });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async reply(request: IncomingMessage): Promise<Response> {
    const [path] = (request.url ?? '').split('?', 1);
    if (path === '/print') return this.print(request);
    if (path !== '/' && path !== '/metrics')
      return failure(404, 'not_found', 'The paths are /, /metrics and /print.');
    if (!isLoopback(request))
      return failure(403, 'permission_denied', 'The status is only available on this machine.');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return failure(405, 'method_not_allowed', 'Use GET.', { allow: 'GET, HEAD' });
    const { status, title } = this.options;
    return path === '/'
      ? { status: 200, headers: page, body: statusPage(title, statusLines(status)) }
      : { status: 200, headers: metricsText, body: prometheusText(status) };
  }

  private async print(request: IncomingMessage): Promise<Response> {
    if (request.method !== 'POST') return failure(405, 'method_not_allowed', 'Use POST.', { allow: 'POST' });
    if (isFromBrowser(request)) return failure(403, 'permission_denied', 'Web pages must not print.');
    if (Number(request.headers['content-length'] ?? 0) > jobBytesMax)
      return failure(413, 'body_too_large', `A job has at most ${jobBytesMax} bytes.`);
    const key = request.headers['idempotency-key'];
    const contentType = request.headers['content-type'];
    try {
      const id = await this.options.taker.takeWhole(request, {
        headers: metadataOf(request),
        ...(typeof key === 'string' && { id: uuidOf(`${this.options.agentId} ${key}`) }),
        ...(contentType !== undefined &&
          !contentType.startsWith('application/x-www-form') && { contentType }),
      });
      return id === undefined
        ? failure(422, 'empty_job', 'The job prints nothing, so it is not a receipt.')
        : json(201, { id });
    } catch (error) {
      if (!(error instanceof NotTakenError)) throw error;
      const status = statuses[error.reason];
      return failure(
        status,
        error.reason,
        error.message,
        status === 413 ? {} : { 'retry-after': retryAfterSeconds },
      );
    }
  }
}

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Response,
): void {
  // Otherwise, the unread rest of a body would be parsed as the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  response.end(request.method === 'HEAD' ? '' : body);
}
