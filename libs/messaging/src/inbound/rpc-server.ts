import type { Reply } from '@receipts/kernel';
import { noBytes, type Packed } from '../message/envelope';
import { textOf } from '../message/properties';
import { faultFields } from '../reporting/log';
import { rpcQueue, volatileQueue } from '../topology/queues';
import type { BatchQueue } from './batch-queue';
import { ClockSkewEstimator } from './clock-skew-estimator';
import { createHandlerQueue } from './handler-queue';
import type { Outcome } from './outcome';
import { QueueConsumer, stopConsuming, type Delivery } from './queue-consumer';
import { enqueueJobs, unpackJobs, type RequestJob } from './request-job';
import { prefetchMessages, type ServedContract, type Serving } from './serving';

const internalError = { status: 500, description: 'internal error' };

/** Answers the requests of one owner. A request whose caller no longer waits is not handled. */
export class RpcServer {
  readonly #serving: Serving;
  /** By contract name. They are separate from those of confirmed commands, so that a backlog does not delay replies. */
  readonly #queues = new Map<string, BatchQueue<RequestJob>>();
  readonly #consumers: readonly QueueConsumer[];
  readonly #clocks: ClockSkewEstimator;

  constructor(serving: Serving, owner: string, contracts: readonly ServedContract[]) {
    this.#serving = serving;
    this.#clocks = new ClockSkewEstimator(serving.now, serving.log);
    const kinds = new Set(contracts.map(({ contract }) => contract.kind));
    for (const served of contracts) {
      const destination = { exchange: '', key: serving.names.queue(rpcQueue(owner, served.contract.kind)) };
      const queue = createHandlerQueue<RequestJob>({
        ...serving,
        ...served,
        destination,
        start: (job) => {
          job.delivery.isStarted = true;
          if (job.call.deadline <= serving.now()) {
            job.delivery.itemDone();
            return false;
          }
          job.startSpan(serving.tracing, destination);
          return true;
        },
        finish: (job, outcome) => this.#finish(job, outcome),
      });
      this.#queues.set(served.contract.name, queue);
    }
    this.#consumers = [...kinds].map((kind) => {
      const queue = serving.names.queue(rpcQueue(owner, kind));
      return new QueueConsumer({
        ...serving,
        queues: () => volatileQueue(queue),
        prefetch: prefetchMessages,
        deliver: (delivery) => this.#receive(queue, delivery),
      });
    });
  }

  async start(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.start()));
  }

  async close(graceMs: number): Promise<void> {
    const { log, replySender } = this.#serving;
    const queues = [...this.#queues.values()];
    await stopConsuming({
      ...{ consumers: this.#consumers, queues, graceMs, log },
      finished: () => replySender.flush(),
    });
  }

  #receive(queue: string, delivery: Delivery): void {
    try {
      const jobs = unpackJobs(delivery);
      this.#serving.metrics.consumed?.(queue, jobs.length);
      const sender = String(delivery.message.properties.replyTo);
      for (const job of jobs) job.call = this.#clocks.localCall(sender, job.call);
      enqueueJobs(jobs, this.#queues, (job, outcome) => this.#finish(job, outcome));
    } catch (error) {
      this.#serving.log.error('a message is not an envelope', { queue, ...faultFields(error) });
      delivery.itemDone();
    }
  }

  #finish(job: RequestJob, outcome: Outcome): void {
    if (!job.settle(outcome)) return;
    const replyTo = textOf(job.delivery.message.properties.replyTo);
    if (replyTo !== undefined) {
      const { deadline } = job.call;
      this.#serving.replySender.send({ ...this.#serialize(job, outcome), replyTo, deadline });
    }
    job.delivery.itemDone();
  }

  #serialize(job: RequestJob, outcome: Outcome): Packed {
    const { id, type, call } = job.header;
    switch (outcome.kind) {
      case 'reply':
        try {
          return serializeReply(id, outcome.reply);
        } catch (fault) {
          return this.#serialize(job, { kind: 'fault', fault });
        }
      case 'refusal':
        return { head: JSON.stringify({ id, error: outcome.refusal.toWire(), n: 0 }), body: noBytes };
      case 'fault': {
        const fields = { type, request_id: call.requestId, call_id: call.id };
        this.#serving.log.error('a handler failed', { ...fields, ...faultFields(outcome.fault) });
        return { head: JSON.stringify({ id, error: internalError, n: 0 }), body: noBytes };
      }
    }
  }
}

function serializeReply(id: number, { meta, replayed, body: value }: Reply): Packed {
  const body =
    value === undefined ? noBytes : Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  return { head: JSON.stringify({ id, meta, replayed, n: body.length }), body };
}
