import { resolvesWithin } from '@receipts/concurrency';
import { textOf } from '../message/properties';
import { quarantineOf, quarantineQueue, type QueueSet } from '../topology/queues';
import { BatchQueue } from './batch-queue';
import type { Delivery, RetryableJob } from './delivery';
import { prefetchMessages, QueueConsumer, stopConsuming, type Serving } from './queue-consumer';

/**
 * A message that was delivered this often may contain an item that kills its process, so its items are handled alone.
 */
const deliveriesBeforeQuarantine = 2;

export interface RetryingConsumerOptions<J extends RetryableJob> {
  /** Called for each connection. */
  readonly queues: () => QueueSet;
  /** A private queue ends with its process, so it has neither retry queues nor a quarantine nor dead letters. */
  readonly isPrivate?: boolean;
  /** @throws Error if the message cannot be read */
  readonly unpack: (delivery: Delivery) => readonly J[];
  /** Adds a job to its queue in this process. */
  readonly enqueue: (job: J) => void;
  /** The queues in this process. */
  readonly batchQueues: readonly BatchQueue<J>[];
  /** Handles a quarantined job, outside these queues. */
  readonly handle: (jobs: readonly J[]) => Promise<void>;
}

/**
 * Consumes commands or events, none of which may be lost. A message is acknowledged when each of its items is done or
 * is safe in another queue: failed messages go to a retry queue or to the dead letters, and those that were in flight
 * when consumers crashed go to quarantine, where they are handled alone.
 */
export class RetryingConsumer<J extends RetryableJob> {
  private readonly main: QueueConsumer;
  private readonly consumers: readonly QueueConsumer[];
  private readonly quarantined: BatchQueue<J>;
  /** Items on their way to another queue. */
  private readonly moves = new Set<Promise<void>>();

  constructor(
    private readonly serving: Serving,
    private readonly options: RetryingConsumerOptions<J>,
  ) {
    const { quarantineTimeoutMs: timeoutMs, log } = serving;
    const { queues, isPrivate = false, handle: run } = options;
    this.main = new QueueConsumer(serving, queues, prefetchMessages, (delivery) =>
      this.receive(delivery, (job) => this.accept(job)),
    );
    const { queue } = this.main;
    this.quarantined = new BatchQueue<J>({
      type: quarantineQueue(queue),
      batchMax: 1,
      concurrency: 1,
      timeoutMs,
      log,
      run,
      timedOut: ([job]) => this.giveUpHanging(job as J),
    });
    const quarantined = () => quarantineOf(queue);
    const quarantine = new QueueConsumer(serving, quarantined, 1, (delivery) =>
      this.receive(delivery, (job) => this.quarantined.add(job)),
    );
    this.consumers = isPrivate ? [this.main] : [this.main, quarantine];
  }

  /** The name of the main queue on the broker. */
  get queue(): string {
    return this.main.queue;
  }

  async start(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.start()));
  }

  async close(graceMs: number): Promise<void> {
    const endsAt = performance.now() + graceMs;
    const queues = [...this.options.batchQueues, this.quarantined];
    await stopConsuming(this.consumers, queues, graceMs, this.serving.log);
    await resolvesWithin(endsAt - performance.now(), Promise.all(this.moves));
    await Promise.all(this.consumers.map((consumer) => consumer.close()));
  }

  /** Ends a job. @param error why it failed; undefined if it succeeded */
  finish(job: J, error: unknown): void {
    if (job.isSettled) return;
    if (error !== undefined)
      return this.move(job, (queue) => this.serving.retries.retry(queue, job, error), error);
    job.isSettled = true;
    this.serving.retries.succeeded(this.queue, job.delivery.message.properties);
    job.delivery.itemDone();
  }

  /** Ends a job that can never be handled. */
  deadLetter(job: RetryableJob, error: unknown): void {
    if (!job.isSettled) this.move(job, (queue) => this.serving.retries.deadLetter(queue, job, error), error);
  }

  private receive(delivery: Delivery, accept: (job: J) => void): void {
    let jobs: readonly J[];
    try {
      jobs = this.options.unpack(delivery);
    } catch (error) {
      return this.deadLetter(unreadable(delivery), error);
    }
    this.serving.metrics.consumed?.(this.queue, jobs.length);
    delivery.split(jobs.length);
    for (const job of jobs) accept(job);
  }

  private accept(job: J): void {
    const needsQuarantine = job.delivery.deliveriesBefore >= deliveriesBeforeQuarantine;
    if (needsQuarantine && !this.options.isPrivate)
      this.move(job, (queue) => this.serving.retries.quarantine(queue, job));
    else this.options.enqueue(job);
  }

  /** Otherwise, a quarantined job that hangs would block all others behind it until the process ends. */
  private giveUpHanging(job: J): void {
    job.span?.end('timeout');
    const { quarantineTimeoutMs } = this.serving;
    this.deadLetter(
      job,
      new Error(`handling the quarantined message took longer than ${quarantineTimeoutMs} ms`),
    );
  }

  /** Ends a job here once it is safe in another queue. Without such a queue, it is lost and logged. */
  private move(job: RetryableJob, publish: (queue: string) => Promise<boolean>, error?: unknown): void {
    job.isSettled = true;
    const { delivery, facts } = job;
    if (this.options.isPrivate) {
      const fields = { queue: this.queue, type: facts.type, message_id: facts.id, error };
      this.serving.log.error('a message was not handled', fields);
      return delivery.itemDone();
    }
    const move = publish(this.queue)
      .then((isSafe) => {
        if (isSafe) delivery.itemDone();
      })
      .finally(() => this.moves.delete(move));
    this.moves.add(move);
  }
}

/** A message whose content cannot be read, as a job. */
function unreadable(delivery: Delivery): RetryableJob {
  const { content, properties } = delivery.message;
  const facts = {
    type: textOf(properties.type) ?? 'unknown',
    id: textOf(properties.messageId) ?? '',
    conversationId: textOf(properties.correlationId) ?? '',
    retailer: '',
    traceparent: undefined,
  };
  const serialize = () => ({ content, contentType: textOf(properties.contentType) });
  return { delivery, facts, isSettled: false, serialize };
}
