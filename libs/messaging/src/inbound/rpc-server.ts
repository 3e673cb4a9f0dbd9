import { randomUUID } from 'node:crypto';
import { pause } from '@receipts/concurrency';
import { ServiceError, type Reply } from '@receipts/kernel';
import { noBytes, type Packed } from '../message/envelope';
import { textOf } from '../message/properties';
import { presence } from '../message/presence';
import { requestQueue, rpcQueue, standbyRequestQueue, type QueueSet } from '../topology/queues';
import type { BatchQueue } from './batch-queue';
import { ClockSkewEstimator } from './clock-skew-estimator';
import { createHandlerQueue, unpackJobs, type RequestJob, type ServedContract } from './handler-queue';
import { notServed, type HandlerResult } from './outcome';
import type { Delivery } from './delivery';
import type { ReplySender } from './reply-sender';
import { prefetchMessages, QueueConsumer, stopConsuming, type Serving } from './queue-consumer';

/** How long a service that starts waits for its queues whose node may be away. */
const startMaxMs = 3_000;

const internalError = { status: 500, description: 'internal error' };

/** Serves the requests to one owner. A request whose caller no longer waits is not handled. */
export class RpcServer {
  private readonly serving: Serving;
  /** Keyed by contract name. One-way commands have separate queues, so that their backlog does not delay replies. */
  private readonly queues = new Map<string, BatchQueue<RequestJob>>();
  private readonly consumers: readonly QueueConsumer[];
  private readonly standbys: readonly QueueConsumer[];
  private readonly clocks: ClockSkewEstimator;
  /** The requests in progress. A caller repeats those for which it has waited long, which must not burden a busy owner. */
  private readonly inProgress = new Set<string>();

  constructor(
    serving: Serving,
    private readonly replySender: ReplySender,
    owner: string,
    contracts: readonly ServedContract[],
  ) {
    this.serving = serving;
    this.clocks = new ClockSkewEstimator(serving.now, serving.log);
    const queueOf = (kind: 'command' | 'query') => serving.names.queue(rpcQueue(owner, kind));
    const start = (job: RequestJob) => {
      job.delivery.isStarted = true;
      const isAwaited = job.call.deadline > serving.now();
      if (!isAwaited) this.done(job);
      return isAwaited;
    };
    const finish = (job: RequestJob, outcome: HandlerResult) => this.reply(job, outcome);
    for (const served of contracts) {
      const destination = { exchange: '', key: queueOf(served.contract.kind) };
      const options = { ...serving, ...served, destination, start, finish };
      this.queues.set(served.contract.name, createHandlerQueue<RequestJob>(options));
    }
    const kinds = new Set(contracts.map(({ contract }) => contract.kind));
    const receive = (delivery: Delivery) => this.receive(delivery);
    const consumersOf = (setOf: (name: string) => QueueSet) =>
      [...kinds].map((kind) => {
        const queues = () => setOf(queueOf(kind));
        return new QueueConsumer(serving, queues, prefetchMessages, receive);
      });
    this.consumers = consumersOf(requestQueue);
    this.standbys = consumersOf(standbyRequestQueue);
  }

  /** Resolves once requests can arrive, in the standbys at least: the node of the other queues may be away. */
  async start(): Promise<void> {
    const start = (consumers: readonly QueueConsumer[]) =>
      Promise.all(consumers.map((consumer) => consumer.start()));
    const started = start(this.consumers);
    await Promise.all([start(this.standbys), Promise.race([started, pause(startMaxMs)])]);
  }

  async close(graceMs: number): Promise<void> {
    const consumers = [...this.consumers, ...this.standbys];
    await stopConsuming(consumers, [...this.queues.values()], graceMs, this.serving.log);
    this.replySender.flush();
    await Promise.all(consumers.map((consumer) => consumer.close()));
  }

  private receive(delivery: Delivery): void {
    const { metrics, log } = this.serving;
    const { fields, properties } = delivery.message;
    try {
      const jobs = unpackJobs(delivery);
      metrics.consumed?.(fields.routingKey, jobs.length);
      delivery.split(jobs.length);
      for (const job of jobs) {
        job.call = this.clocks.localCall(String(properties.replyTo), job.call);
        const { type } = job.header;
        const queue = this.queues.get(type);
        if (queue) this.add(job, queue);
        else if (type === presence.name) this.reply(job, { reply: {} as Reply });
        else this.reply(job, notServed(type));
      }
    } catch (error) {
      log.error('received a message that is not a valid envelope', {
        queue: fields.routingKey,
        error,
      });
      delivery.itemDone();
    }
  }

  private add(job: RequestJob, queue: BatchQueue<RequestJob>): void {
    const name = nameOf(job);
    if (this.inProgress.has(name)) return job.delivery.itemDone();
    this.inProgress.add(name);
    queue.add(job);
  }

  private done(job: RequestJob): void {
    this.inProgress.delete(nameOf(job));
    job.delivery.itemDone();
  }

  private reply(job: RequestJob, outcome: HandlerResult): void {
    const replyTo = textOf(job.delivery.message.properties.replyTo);
    if (replyTo !== undefined) {
      const { deadline } = job.call;
      for (const part of this.serialize(job, outcome)) this.replySender.send({ ...part, replyTo, deadline });
    }
    this.done(job);
  }

  private serialize(job: RequestJob, outcome: HandlerResult): readonly Packed[] {
    const { id, type, call } = job.header;
    try {
      if ('reply' in outcome) return serializeReply(id, outcome.reply);
    } catch (error) {
      return this.serialize(job, { error });
    }
    const { error } = outcome;
    const isRefusal = error instanceof ServiceError;
    if (!isRefusal) {
      const fields = { type, request_id: call.requestId, call_id: call.id };
      this.serving.log.error('a handler failed', { ...fields, error });
    }
    const head = { id, error: isRefusal ? error.toWire() : internalError, n: 0 };
    return [{ head: JSON.stringify(head), body: noBytes }];
  }
}

/** The same when a request is repeated. */
const nameOf = ({ header: { id, call } }: RequestJob): string => `${call.id} ${id}`;

/**
 * Larger replies are sent in parts. RabbitMQ 4 refuses messages of more than 16 MiB, and closes the channel with all
 * other replies on it.
 */
const partBytesMax = 8 * 1024 * 1024;

function serializeReply(id: number, { meta, replayed, body: value }: Reply): readonly Packed[] {
  const body =
    value === undefined ? noBytes : Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  if (body.length <= partBytesMax) {
    return [{ head: JSON.stringify({ id, meta, replayed, n: body.length }), body }];
  }
  const parts = Math.ceil(body.length / partBytesMax);
  const reply = randomUUID();
  return Array.from({ length: parts }, (_, part) => {
    const bytes = body.subarray(part * partBytesMax, (part + 1) * partBytesMax);
    return { head: JSON.stringify({ id, meta, replayed, reply, part, parts, n: bytes.length }), body: bytes };
  });
}
