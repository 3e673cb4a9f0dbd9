import http from 'node:http';
import https from 'node:https';

export interface Answer<B = any> {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The parsed body if it is JSON, else undefined. */
  readonly body: B;
}

export interface RequestOptions {
  readonly method?: string;
  readonly query?: Record<string, string | number | boolean | readonly string[]>;
  readonly headers?: Record<string, string | string[]>;
  /** Sent as JSON unless it is a Buffer or a string. */
  readonly body?: unknown;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 128 });
/** For platforms with HTTPS. Its option `ca` contains the trusted certificates. */
export const secureAgent = new https.Agent({ keepAlive: true, maxSockets: 128 });
const timeoutMs = 60_000;

function targetOf(path: string, query: RequestOptions['query']): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`,
    ),
  );
  if (pairs.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** Sends an HTTP request on a persistent connection. It does not throw for any status. */
export function request(baseUrl: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const raw = options.body instanceof Buffer || typeof options.body === 'string';
  const payload =
    options.body === undefined
      ? undefined
      : raw
        ? (options.body as Buffer | string)
        : JSON.stringify(options.body);
  const headers: Record<string, string | string[]> = {
    ...(payload !== undefined && { 'content-length': String(Buffer.byteLength(payload)) }),
    ...(payload !== undefined && !raw && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  const { hostname, port, protocol } = new URL(baseUrl);
  const [client, kept] = protocol === 'https:' ? ([https, secureAgent] as const) : ([http, agent] as const);
  return new Promise((resolve, reject) => {
    const req = client.request(
      {
        agent: kept,
        hostname,
        port,
        method: options.method ?? (payload === undefined ? 'GET' : 'POST'),
        path: targetOf(path, options.query),
        headers,
        timeout: timeoutMs,
      },
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
    req.once('timeout', () =>
      req.destroy(new Error(`no answer within ${timeoutMs} ms: ${options.method} ${path}`)),
    );
    req.once('error', reject);
    req.end(payload);
  });
}
