import http from 'node:http';
import https from 'node:https';
import { bearerToken, type BearerKey } from '@receipts/client';
import { ServerClock } from './server-clock';

export interface PlatformRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Appended to the base URL, including its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly bytes: number; read(): AsyncIterable<Buffer> };
}

export interface PlatformResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** At most the first 64 KiB. */
  readonly text: string;
}

const tokenLifetimeSeconds = 3_600;
const tokenRenewedAfterMs = (tokenLifetimeSeconds * 1_000) / 2;
/** A token contains the time. The platform's leeway is 60 s. */
const clockErrorMsMax = 30_000;
const answerBytesMax = 64 * 1024;
const answerMsMax = 60_000;
const unauthorized = 401;

/** Sends requests to the platform over a connection that stays open. Callers are responsible for retries. */
export class PlatformClient {
  readonly clock: ServerClock;
  private readonly base: URL;
  private readonly agent: http.Agent;
  private token: { readonly value: string; readonly madeAtMs: number } | undefined;

  constructor(
    baseUrl: string,
    private readonly key: BearerKey,
    private readonly monotonicMs: () => number = () => performance.now(),
    localMs?: () => number,
  ) {
    this.clock = new ServerClock(monotonicMs, localMs);
    this.base = new URL(baseUrl.replace(/\/+$/, ''));
    const { Agent } = this.base.protocol === 'https:' ? https : http;
    this.agent = new Agent({ keepAlive: true, maxSockets: 2 });
  }

  /**
   * Sends a request, and retries it once with a new token if the old token had a wrong time.
   * @throws Error if there is no response
   */
  async request(request: PlatformRequest, signal: AbortSignal): Promise<PlatformResponse> {
    const first = await this.send(request, signal);
    const errorMs = this.clock.adjust(first.headers.date);
    if (errorMs > clockErrorMsMax) this.token = undefined;
    if (first.status !== unauthorized || errorMs <= clockErrorMsMax) return first;
    return this.send(request, signal);
  }

  close(): void {
    this.agent.destroy();
  }

  private authorization(): string {
    const now = this.monotonicMs();
    if (!this.token || now - this.token.madeAtMs > tokenRenewedAfterMs) {
      const value = bearerToken(this.key, tokenLifetimeSeconds, this.clock.now());
      this.token = { value, madeAtMs: now };
    }
    return `Bearer ${this.token.value}`;
  }

  private send(
    { method, path, headers, body }: PlatformRequest,
    signal: AbortSignal,
  ): Promise<PlatformResponse> {
    const { request } = this.base.protocol === 'https:' ? https : http;
    const url = `${this.base.href.replace(/\/$/, '')}${path}`;
    const all = {
      ...headers,
      authorization: this.authorization(),
      ...(method === 'POST' && { 'content-length': String(body?.bytes ?? 0) }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers: all, agent: this.agent, signal }, (response) => {
        readText(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          reject,
        );
      });
      const timer = setTimeout(
        () => sent.destroy(new Error(`no response within ${answerMsMax / 1_000} s`)),
        answerMsMax,
      );
      sent.on('close', () => clearTimeout(timer));
      sent.on('error', reject);
      // The platform may respond before it has read everything; that response counts.
      write(sent, body).catch((error: Error) => sent.destroy(error));
    });
  }
}

async function write(request: http.ClientRequest, body: PlatformRequest['body']): Promise<void> {
  if (body) {
    for await (const chunk of body.read()) {
      if (request.destroyed) return;
      if (!request.write(chunk)) await drained(request);
    }
  }
  request.end();
}

function drained(request: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      request.off('drain', settle).off('close', settle);
      resolve();
    };
    request.on('drain', settle).on('close', settle);
  });
}

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > answerBytesMax) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, answerBytesMax);
}
