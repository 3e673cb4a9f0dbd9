import { randomBytes } from 'node:crypto';
import { until } from '@receipts/testing';
import { request } from '../harness/http';
import { spanKinds, type ReceivedSpan, type SpanReceiver } from '../harness/span-receiver';
import { percentile } from '../harness/statistics';
import { placeholder, receiptBody } from './work';

const requests = 300;
const warmUpRequests = 200;
const spansTimeoutMs = 30_000;

/** The time of a hop is that of its span minus that of the next span, so the processes' clocks do not matter. */
const hops = ['client and HTTP', 'gateway', 'broker, both ways', 'service', 'database'] as const;

interface Answered {
  readonly traceId: string;
  readonly id: string;
  readonly durationMs: number;
}

/** Measures where a single request spends its time, from socket to socket. Fails if a response is unexpected. */
export class HopsBench {
  private readonly run = randomBytes(4).toString('hex');
  private count = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly receiver: SpanReceiver,
  ) {}

  async measure(): Promise<boolean> {
    console.log(`\nOne request at a time, p50 / p99 in ms, ${requests} requests`);
    const posted = await this.row('POST /receipts', 201, () => ['POST', '/receipts']);
    const ids = posted.map(({ id }) => id);
    await this.row('GET /receipts/{id}', 200, (n) => ['GET', `/receipts/${ids[n % ids.length] ?? ''}`]);
    await this.row('GET /receipts, 20 receipts', 200, () => ['GET', '/receipts']);
    return true;
  }

  private async row(name: string, status: number, target: (n: number) => readonly [string, string]) {
    for (let n = 0; n < warmUpRequests; n++) await this.send(target(n), status, false);
    const answers: Answered[] = [];
    for (let n = 0; n < requests; n++) answers.push(await this.send(target(n), status, true));
    const chains = await this.chainsOf(answers);
    const times = answers.map(({ durationMs }, n) => hopsOf([durationMs, ...(chains[n] ?? [])]));
    console.log(`${name}: ${textOf(answers.map(({ durationMs }) => durationMs))}`);
    hops.forEach((hop, at) => console.log(`  ${hop}: ${textOf(times.map((each) => each[at] ?? NaN))}`));
    return answers;
  }

  private async send([method, path]: readonly [string, string], status: number, traced: boolean) {
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-${traced ? '01' : '00'}`;
    const headers = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      traceparent,
    };
    const body = receiptBody.replace(placeholder, `${this.run}-${this.count++}`);
    const began = performance.now();
    const answer = await request(this.baseUrl, path, { method, headers, ...(method === 'POST' && { body }) });
    const durationMs = performance.now() - began;
    if (answer.status !== status) throw new Error(`${method} ${path} was answered with ${answer.status}`);
    return { traceId, id: String(answer.body.id), durationMs };
  }

  /** The chain of each request, once all its spans are exported. */
  private async chainsOf(answers: readonly Answered[]): Promise<readonly (readonly number[])[]> {
    const chains = () =>
      answers.map(({ traceId }) => chainOf(this.receiver.spans.filter((span) => span.traceId === traceId)));
    const isComplete = () => chains().every((chain) => chain.length === hops.length - 1);
    await until('the spans of all requests', isComplete, spansTimeoutMs);
    return chains();
  }
}

/** The durations of the request, its message and its handling, and the total of its database commands. */
function chainOf(spans: readonly ReceivedSpan[]): readonly number[] {
  const server = spans.find(({ kind }) => kind === spanKinds.server);
  const sent = spans.find(
    ({ kind, parentSpanId }) => kind === spanKinds.producer && parentSpanId === server?.spanId,
  );
  const handled = spans.find(({ parentSpanId }) => parentSpanId === sent?.spanId);
  const commands = spans.filter(
    ({ kind, parentSpanId }) => kind === spanKinds.client && parentSpanId === handled?.spanId,
  );
  if (!server || !sent || !handled || commands.length === 0) return [];
  return [server, sent, handled]
    .map(({ durationMs }) => durationMs)
    .concat(commands.reduce((sum, { durationMs }) => sum + durationMs, 0));
}

/** The difference between each duration and the next. */
function hopsOf(durations: readonly number[]): readonly number[] {
  return durations.map((total, at) => total - (durations[at + 1] ?? 0));
}

function textOf(times: readonly number[]): string {
  return `${percentile(times, 0.5).toFixed(2)} / ${percentile(times, 0.99).toFixed(2)}`;
}
