import { resolvesWithin, type Span } from '@receipts/kernel';
import { textOf } from '../message/properties';
import type { MessageFacts } from '../reporting/spans';
import { quarantineOf, quarantineQueue, type QueueSet } from '../topology/queues';
import { BatchQueue } from './batch-queue';
import {
  prefetchMessages,
  QueueConsumer,
  stopConsuming,
  type Delivery,
  type Serving,
} from './queue-consumer';
import type { Failed } from './retry-router';

/**
 * A message that was delivered this often may contain an item that kills its process, so its items are handled alone.
 */
const deliveriesBeforeQuarantine = 2;
const moveTimeoutMs = 3_000;

/** A confirmed command or an event, until it is done. */
export interface RetryableJob {
  readonly delivery: Delivery;
  readonly facts: MessageFacts;
  readonly span: Span | undefined;
  /** True once its outcome is known; only the first one counts. */
  isSettled: boolean;
  /** The job as a message of its own. */
  serialize(): Pick<Failed, 'content' | 'contentType'>;
}

type Movable = Pick<RetryableJob, 'delivery' | 'facts' | 'serialize'>;

/** The queue to which an item is moved if it is not done here. */
type Target = 'retry' | 'deadLetter' | 'quarantine';

export interface RetryingConsumerOptions<J extends RetryableJob> {
  /** Called for each connection. */
  readonly queues: () => QueueSet;
  /** A private queue ends with its process: it has neither retry queues nor quarantine nor dead letters. */
  readonly isPrivate?: boolean;
  /** @throws Error when the message cannot be read */
  readonly unpack: (delivery: Delivery) => readonly J[];
  /** Adds a job to its queue in this process. */
  readonly enqueue: (job: J) => void;
  /** The queues in this process. */
  readonly batchQueues: readonly BatchQueue<J>[];
  /** Handles a quarantined job, outside these queues. */
  readonly handle: (jobs: readonly J[]) => Promise<void>;
}

/**
 * Consumes commands or events, none of which may get lost. A message is acknowledged when each of its items is done or
 * is safe in another queue: failed ones go to a retry queue or to the dead letters, and those that were in flight when
 * consumers died go to quarantine, where they are handled alone.
 */
export class RetryingConsumer<J extends RetryableJob> {
  readonly #serving: Serving;
  readonly #options: RetryingConsumerOptions<J>;
  readonly #main: QueueConsumer;
  readonly #consumers: readonly QueueConsumer[];
  readonly #quarantined: BatchQueue<J>;
  /** Items on their way to another queue. */
  readonly #moves = new Set<Promise<void>>();

  constructor(serving: Serving, options: RetryingConsumerOptions<J>) {
    const { quarantineTimeoutMs: timeoutMs, log } = serving;
    const { queues, isPrivate = false, handle: run } = options;
    this.#serving = serving;
    this.#options = options;
    this.#main = new QueueConsumer(serving, {
      ...{ queues, prefetch: prefetchMessages },
      deliver: (delivery) => this.#receive(delivery, (job) => this.#accept(job)),
    });
    const { queue } = this.#main;
    this.#quarantined = new BatchQueue<J>({
      ...{ type: quarantineQueue(queue), batchMax: 1, concurrency: 1, timeoutMs, log, run },
      timedOut: ([job]) => this.#giveUpHanging(job as J),
    });
    const quarantine = new QueueConsumer(serving, {
      ...{ queues: () => quarantineOf(queue), prefetch: 1 },
      deliver: (delivery) => this.#receive(delivery, (job) => this.#quarantined.add(job)),
    });
    this.#consumers = isPrivate ? [this.#main] : [this.#main, quarantine];
  }

  /** The name of the main queue at the broker. */
  get queue(): string {
    return this.#main.queue;
  }

  async start(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.start()));
  }

  async close(graceMs: number): Promise<void> {
    await stopConsuming({
      ...{ consumers: this.#consumers, graceMs, log: this.#serving.log },
      queues: [...this.#options.batchQueues, this.#quarantined],
      finished: () => resolvesWithin(moveTimeoutMs, Promise.all(this.#moves)),
    });
  }

  /** Ends a job. @param error why it failed; undefined when it is done */
  finish(job: J, error: unknown): void {
    if (job.isSettled) return;
    job.isSettled = true;
    if (error !== undefined) return this.#move(job, 'retry', error);
    this.#serving.retries.succeeded(this.queue, job.delivery.message.properties);
    job.delivery.itemDone();
  }

  /** Ends a job that can never be handled. */
  deadLetter(job: J, error: Error): void {
    if (job.isSettled) return;
    job.isSettled = true;
    this.#move(job, 'deadLetter', error);
  }

  #receive(delivery: Delivery, accept: (job: J) => void): void {
    let jobs: readonly J[];
    try {
      jobs = this.#options.unpack(delivery);
    } catch (error) {
      const { content, properties } = delivery.message;
      const facts = {
        type: textOf(properties.type) ?? 'unknown',
        id: textOf(properties.messageId) ?? '',
        conversationId: textOf(properties.correlationId) ?? '',
        ...{ retailer: '', traceparent: undefined },
      };
      const serialize = () => ({ content, contentType: textOf(properties.contentType) });
      return this.#move({ delivery, facts, serialize }, 'deadLetter', error);
    }
    this.#serving.metrics.consumed?.(this.queue, jobs.length);
    delivery.split(jobs.length);
    for (const job of jobs) accept(job);
  }

  #accept(job: J): void {
    const needsQuarantine = job.delivery.deliveriesBefore >= deliveriesBeforeQuarantine;
    if (needsQuarantine && !this.#options.isPrivate) this.#move(job, 'quarantine');
    else this.#options.enqueue(job);
  }

  /** A quarantined job that hangs would block all others behind it until the process ends. */
  #giveUpHanging(job: J): void {
    job.span?.end('timeout');
    const { quarantineTimeoutMs } = this.#serving;
    this.deadLetter(
      job,
      new Error(`handling the quarantined message took longer than ${quarantineTimeoutMs} ms`),
    );
  }

  #move(job: Movable, target: Target, error?: unknown): void {
    const move = this.#moveTo(target, job, error).finally(() => this.#moves.delete(move));
    this.#moves.add(move);
  }

  /** Moves a job to another queue, as a message of its own, and ends it here. */
  async #moveTo(target: Target, job: Movable, error: unknown): Promise<void> {
    const { retries, log } = this.#serving;
    const { queue } = this;
    const { delivery, facts } = job;
    const received = delivery.message.properties;
    if (this.#options.isPrivate) {
      const fields = { queue, type: facts.type, message_id: facts.id };
      log.error('a message was not handled', { ...fields, error });
    } else if (!(await retries[target]({ ...job.serialize(), facts, received, queue, error }))) return;
    delivery.itemDone();
  }
}
