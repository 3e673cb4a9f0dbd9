import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listen } from '@receipts/testing';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Responses = (request: ReceivedRequest) => FakeResponse | undefined;

const accepted: FakeResponse = { status: 202 };

/** A server that responds like the platform, unless a test configures otherwise. */
export class FakePlatform {
  readonly requests: ReceivedRequest[] = [];
  /** The next responses; undefined stands for the platform's response. */
  answers: Responses = () => undefined;
  /** The difference between the platform's clock and this machine's. */
  aheadMs = 0;
  private allotted = 0;
  private closeServer: () => void = () => {};

  private constructor(readonly url: string) {}

  static async start(): Promise<FakePlatform> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://platform');
        const received = {
          method: request.method ?? '',
          path: pathname,
          query: Object.fromEntries(searchParams),
          headers: request.headers,
          body: Buffer.concat(chunks).toString('latin1'),
        };
        platform.reply(received, response);
      });
    });
    const platform = new FakePlatform(`http://127.0.0.1:${await listen(server)}`);
    platform.closeServer = () => {
      server.close();
      server.closeAllConnections();
    };
    return platform;
  }

  /** Every attempt to post a job. */
  get posts(): ReceivedRequest[] {
    return this.requests.filter(({ path }) => path === '/pos/receipts');
  }

  close(): void {
    this.closeServer();
  }

  private reply(request: ReceivedRequest, response: ServerResponse): void {
    this.requests.push(request);
    const usual = request.path === '/receipts/_link' ? this.allot(request) : accepted;
    const { status, headers, body } = this.answers(request) ?? usual;
    const text = body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, {
      date: new Date(Date.now() + this.aheadMs).toUTCString(),
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    });
    response.end(text);
  }

  private allot({ body }: ReceivedRequest): FakeResponse {
    const { count = 1 } = JSON.parse(body) as { count?: number };
    const links = Array.from({ length: count }, () => {
      const link = `link-${++this.allotted}`;
      return {
        link,
        webview: { href: `https://r.example/l/${link}`, qrcode: { href: `https://r.example/l/${link}/qr` } },
        expires_timestamp: new Date(Date.now() + this.aheadMs + 30 * 86_400_000).toISOString(),
      };
    });
    return { status: 201, body: { links } };
  }
}
