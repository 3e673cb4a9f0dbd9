import http from 'node:http';
import https from 'node:https';
import { patiently } from '@receipts/testing';

export interface HttpResponse<B = any> {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The parsed body if it is JSON, otherwise undefined. */
  readonly body: B;
}

export interface RequestOptions {
  readonly method?: string;
  readonly query?: Record<string, string | number | boolean | readonly string[]>;
  readonly headers?: Record<string, string | string[]>;
  /** Sent as JSON unless it is a Buffer or a string. */
  readonly body?: unknown;
  /** Default: connections that all requests share. */
  readonly agent?: http.Agent;
  /** How long a request may remain without a response before it fails. Default: 60,000. */
  readonly timeoutMs?: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 128 });
/** For platforms with HTTPS. Set `secureAgent.options.ca` to the trusted certificates. */
export const secureAgent = new https.Agent({ keepAlive: true, maxSockets: 128 });
const defaultTimeoutMs = patiently(60_000);

function targetOf(path: string, query: RequestOptions['query']): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`,
    ),
  );
  if (pairs.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** Sends an HTTP request on a persistent connection. Does not throw for any status. */
export function request(baseUrl: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
  const { body, timeoutMs = defaultTimeoutMs } = options;
  const isRaw = body instanceof Buffer || typeof body === 'string';
  const payload = body === undefined || isRaw ? body : JSON.stringify(body);
  const headers: Record<string, string | string[]> = {
    ...(payload !== undefined && { 'content-length': String(Buffer.byteLength(payload)) }),
    ...(payload !== undefined && !isRaw && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  const { hostname, port, protocol } = new URL(baseUrl);
  const [client, shared] = protocol === 'https:' ? ([https, secureAgent] as const) : ([http, agent] as const);
  const method = options.method ?? (payload === undefined ? 'GET' : 'POST');
  const target = { hostname, port, method, path: targetOf(path, options.query) };
  return new Promise((resolve, reject) => {
    const req = client.request(
      { ...target, agent: options.agent ?? shared, headers, timeout: timeoutMs },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.once('error', reject);
        res.once('end', () => {
          const bytes = Buffer.concat(chunks);
          const json = /^application\/([a-z.+-]+\+)?json/.test(res.headers['content-type'] ?? '');
          const body: unknown = json && bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : undefined;
          resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes, body });
        });
      },
    );
    req.once('timeout', () => req.destroy(new Error(`no answer within ${timeoutMs} ms: ${method} ${path}`)));
    req.once('error', reject);
    req.end(payload);
  });
}
