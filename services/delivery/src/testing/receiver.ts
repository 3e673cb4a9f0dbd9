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

interface ReceiverResponse {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A webhook endpoint. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The receiver's response; if undefined, it never responds. */
  answer: ReceiverResponse | undefined;
  /** Returns the response to a message, if it depends on the message. */
  answerTo: ((message: Received) => ReceiverResponse) | undefined;
  /** If set, receives a function with which the test responds later. */
  hold: ((reply: (answer: ReceiverResponse) => void) => void) | undefined;
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
    answerTo: undefined,
    hold: undefined,
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
      const message = { headers: headersOf(request.headers), text, body: JSON.parse(text) as never };
      receiver.received.push(message);
      const reply = (answer: ReceiverResponse) =>
        response.writeHead(answer.status, answer.headers).end(answer.body);
      if (receiver.hold) return receiver.hold(reply);
      const answer = receiver.answerTo ? receiver.answerTo(message) : receiver.answer;
      if (answer) reply(answer);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return receiver;
}
