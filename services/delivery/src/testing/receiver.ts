import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Record<string, unknown>;
  };
}

/** Somebody's webhook endpoint. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers; undefined never answers. */
  answer: { readonly status: number; readonly headers?: Record<string, string> } | undefined;
  close(): Promise<void>;
}

const headersOf = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

export async function startReceiver(): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const receiver: Receiver = {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    },
    received: [],
    answer: { status: 204 },
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => closed());
      }),
  };
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      receiver.received.push({ headers: headersOf(request.headers), text, body: JSON.parse(text) as never });
      const { answer } = receiver;
      if (answer) response.writeHead(answer.status, answer.headers).end();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return receiver;
}
