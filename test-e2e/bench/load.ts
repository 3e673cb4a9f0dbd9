import net from 'node:net';
import { percentile } from '../harness/statistics';
import { placeholder } from './work';

/**
 * A load generator in a separate process: it keeps `connections` sockets busy with one request at a time each, and
 * prints its measurements as a line of JSON. It uses plain sockets to minimize its CPU usage on the measured machine.
 */
export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly method: string;
  /** Used alternately. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** `%UNIQUE%%%` in headers and body is replaced by a unique number. */
  readonly body?: string;
  readonly expectedStatus: number;
  /** The text that each response must contain. */
  readonly expectedText?: string;
  /** The first unique number. */
  readonly uniqueFrom: number;
}

/** A plan without the properties that are the same for a whole run. */
export type PlannedRequest = Partial<LoadPlan> & Pick<LoadPlan, 'method' | 'paths' | 'expectedStatus'>;

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly unexpected: number;
  readonly firstUnexpected?: string;
}

const headerEnd = Buffer.from('\r\n\r\n');

class Connection {
  private received: Buffer[] = [];
  private size = 0;
  private needed = -1;
  private beganAt = 0;

  constructor(
    private readonly socket: net.Socket,
    private readonly next: () => Buffer | undefined,
    private readonly done: (status: number, ms: number, answer: Buffer) => void,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.onData(chunk));
  }

  send(): void {
    const request = this.next();
    if (!request) {
      this.socket.end();
      return;
    }
    this.beganAt = performance.now();
    this.socket.write(request);
  }

  private onData(chunk: Buffer): void {
    this.received.push(chunk);
    this.size += chunk.length;
    if (this.needed < 0) this.needed = this.lengthOfAnswer();
    if (this.needed < 0 || this.size < this.needed) return;
    const answer = this.received.length === 1 ? chunk : Buffer.concat(this.received);
    this.received = [];
    this.size = 0;
    this.needed = -1;
    this.done(Number(answer.toString('latin1', 9, 12)), performance.now() - this.beganAt, answer);
    this.send();
  }

  private lengthOfAnswer(): number {
    const head = this.received.length === 1 ? (this.received[0] as Buffer) : Buffer.concat(this.received);
    const end = head.indexOf(headerEnd);
    if (end < 0) return -1;
    const match = /content-length: (\d+)/i.exec(head.toString('latin1', 0, end));
    return end + headerEnd.length + (match ? Number(match[1]) : 0);
  }
}

function placesOf(request: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = request.indexOf(placeholder); at >= 0; at = request.indexOf(placeholder, at + 1))
    places.push(at);
  return places;
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const times: number[] = [];
  let unexpected = 0;
  let firstUnexpected: string | undefined;
  let unique = plan.uniqueFrom;
  let turn = 0;
  const requestOf = (path: string): Buffer => {
    const length = plan.body === undefined ? 0 : Buffer.byteLength(plan.body);
    const headers = {
      host: '127.0.0.1',
      ...plan.headers,
      ...(plan.body !== undefined && { 'content-length': length }),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`${plan.method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${plan.body ?? ''}`);
  };
  const prepared = plan.paths.map(requestOf);
  const offsets = prepared.map(placesOf);
  const endAt = performance.now() + plan.seconds * 1000;
  const next = (): Buffer | undefined => {
    if (performance.now() > endAt) return undefined;
    const index = turn++ % prepared.length;
    const request = prepared[index] as Buffer;
    const places = offsets[index] ?? [];
    if (places.length === 0) return request;
    const copy = Buffer.from(request);
    const number = String(unique++).padStart(placeholder.length, '0');
    for (const place of places) copy.write(number, place, 'latin1');
    return copy;
  };
  const done = (status: number, ms: number, answer: Buffer) => {
    times.push(ms);
    if (status === plan.expectedStatus && answer.includes(plan.expectedText ?? '')) return;
    unexpected += 1;
    firstUnexpected ??= answer.toString('utf8').slice(0, 600);
  };
  const began = performance.now();
  await Promise.all(
    Array.from({ length: plan.connections }, async () => {
      const socket = net.connect(plan.port, '127.0.0.1');
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.once('connect', () => new Connection(socket, next, done).send());
        socket.once('close', () => resolve());
      });
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const at = (share: number) => Number(percentile(times, share).toFixed(2));
  return {
    requests: times.length,
    seconds,
    perSecond: Math.round(times.length / seconds),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    unexpected,
    ...(firstUnexpected !== undefined && { firstUnexpected }),
  };
}

process.once('message', (plan: LoadPlan) => {
  run(plan).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
});
