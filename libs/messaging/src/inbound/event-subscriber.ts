import { randomUUID } from 'node:crypto';
import { handleBatch } from '@receipts/concurrency';
import {
  parseExactly,
  printExactly,
  retrySoon,
  unavailable,
  type EventContract,
  type EventRecord,
  type Span,
  type EventOf,
} from '@receipts/kernel';
import type { Connection } from '../connection/connection';
import { eventContentType } from '../message/properties';
import { errorTypeOf, handledIn, messageSpan, type MessageFacts } from '../reporting/spans';
import { privateQueue, retryingQueue, type Binding, type QueueSet } from '../topology/queues';
import { BatchQueue } from './batch-queue';
import type { Delivery, RetryableJob } from './delivery';
import { graceDefaultMs, prefetchMessages, type Consumer, type Serving } from './queue-consumer';
import { RetryingConsumer } from './retrying-consumer';

/** For each event, in the same order, why it failed; undefined if all succeeded. */
export type EventOutcomes = readonly (undefined | Error)[] | void;

/** The handler of some event contracts. */
export interface Subscription {
  readonly contracts: readonly EventContract[];
  readonly handle: (events: readonly EventRecord[]) => Promise<EventOutcomes>;
}

/**
 * Subscribes to one contract, or to several with a common handler. The handler receives batches in queue order, one
 * batch at a time, with events of several retailers. An event that it reports as failed is retried alone. The handler
 * must be idempotent, because delivery is at least once.
 */
export function on<E extends EventContract>(
  contracts: E | readonly E[],
  handle: (events: readonly EventOf<E>[]) => Promise<EventOutcomes>,
): Subscription {
  return {
    contracts: [contracts].flat(),
    // The cast is safe: the subscriber dispatches by type, and owners serialize events according to their contracts.
    handle: handle as Subscription['handle'],
  };
}

/** The maximum number of events per call of a handler. */
const batchMax = 256;
/** A longer window makes larger batches, but delays the feed. */
const batchWindowDefaultMs = 50;

export interface SubscribeOptions {
  /** The name of the queue, by convention `<service>.on-<what>`. */
  readonly queue: string;
  /** Created by `on`. */
  readonly subscriptions: readonly Subscription[];
  /**
   * A queue for this process only, deleted with its connection: for read models in memory. An event that fails is logged
   * and dropped, so its handler must fetch by itself what it misses.
   */
  readonly exclusive?: boolean;
  /**
   * Minimum time between the starts of two batches of a durable queue while there are few events, in milliseconds;
   * default 50. A handler's database commands cost the same for one event as for many.
   */
  readonly batchWindowMs?: number;
  /**
   * Whether the queue must receive events; if absent, it always must. Asked on each connect, until it is true or
   * `Broker.bind` is called. The bindings are shared by all processes with the same queue, and are never removed. Must end
   * in limited time.
   */
  readonly boundWhen?: () => Promise<boolean>;
}

/** One event of a delivered message, until it is done. */
class EventJob implements RetryableJob {
  span: Span | undefined;
  isSettled = false;

  constructor(
    readonly delivery: Delivery,
    readonly event: EventRecord,
    /** Undefined for a type without a handler. */
    readonly subscription: Subscription | undefined,
  ) {}

  get facts(): MessageFacts {
    const { id, type, retailer, correlationid: conversationId, traceparent } = this.event;
    return { id, type, retailer, conversationId, traceparent };
  }

  serialize(): { readonly content: Buffer; readonly contentType: string } {
    return { content: Buffer.from(printExactly(this.event, this.event)), contentType: eventContentType };
  }
}

/** Declares and binds a queue for the subscriptions, and handles its events. */
export class EventSubscriber implements Consumer {
  private readonly serving: Serving;
  private readonly options: SubscribeOptions;
  private readonly byType = new Map<string, Subscription>();
  /** True if each connection binds the queue. */
  private isWanted: boolean;
  /** The connection on which `bind` has bound the queue. */
  private boundOn: Connection | undefined;
  private readonly consumer: RetryingConsumer<EventJob>;

  constructor(serving: Serving, options: SubscribeOptions) {
    const { queue, subscriptions, exclusive = false, boundWhen } = options;
    const { batchWindowMs = batchWindowDefaultMs } = options;
    const { log, giveUp } = serving;
    this.serving = serving;
    this.options = options;
    for (const subscription of subscriptions) {
      for (const { type } of subscription.contracts) {
        if (this.byType.has(type)) throw new Error(`two handlers of ${queue} subscribe to ${type}`);
        this.byType.set(type, subscription);
      }
    }
    this.isWanted = !boundWhen;
    const handle = (jobs: readonly EventJob[]) => this.handleAll(jobs);
    const waiting = new BatchQueue<EventJob>({
      // One batch at a time preserves the order of the queue.
      type: queue,
      batchMax,
      concurrency: 1,
      giveUp,
      log,
      run: handle,
      // Updating in-memory state is cheap, and revocations are among these events, so they are not delayed.
      batchWindowMs: exclusive ? 0 : batchWindowMs,
      isFull,
    });
    this.consumer = new RetryingConsumer(serving, {
      queues: () => this.queueSet(),
      isPrivate: exclusive,
      batchQueues: [waiting],
      handle,
      unpack: (delivery) =>
        eventsOf(delivery).map((event) => new EventJob(delivery, event, this.byType.get(event.type))),
      enqueue: (job) => waiting.add(job),
    });
  }

  start(): Promise<void> {
    return this.consumer.start();
  }

  close(graceMs: number = graceDefaultMs): Promise<void> {
    return this.consumer.close(graceMs);
  }

  /** See `Broker.bind`. */
  async bind(): Promise<void> {
    this.isWanted = true;
    const { log, consuming } = this.serving;
    const { current } = consuming;
    if (!current) throw retrySoon(unavailable, { internal: 'the broker is down' });
    if (this.boundOn === current) return;
    const { queue } = this.consumer;
    try {
      await current.withChannel(async (channel) => {
        for (const { exchange, key } of this.bindings) await channel.bindQueue(queue, exchange, key);
      });
      this.boundOn = current;
    } catch (error) {
      log.warn('a queue could not be bound', { queue, error });
      throw retrySoon(unavailable, { internal: 'the broker did not bind the queue' });
    }
  }

  private get bindings(): readonly Binding[] {
    return [...this.byType.keys()].map((key) => ({ exchange: this.serving.names.internalEvents, key }));
  }

  private queueSet(): QueueSet {
    const { queue, exclusive = false } = this.options;
    const { names, topology } = this.serving;
    // The name is new for each connection, because the broker may take a while to notice that the old connection is
    // dead.
    const name = names.queue(exclusive ? `${queue}.${randomUUID()}` : queue);
    const { bindings } = this;
    const set = exclusive ? privateQueue(name, bindings) : retryingQueue(name, topology.steps, bindings);
    return { ...set, isBound: () => this.isBound() };
  }

  /**
   * Whether to bind the queue. Called after the queue was declared, so that a process that needs it from then on can bind
   * it.
   */
  private async isBound(): Promise<boolean> {
    if (!this.isWanted && (await this.options.boundWhen?.())) this.isWanted = true;
    return this.isWanted;
  }

  /** Handles consecutive events of the same subscription together. */
  private async handleAll(jobs: readonly EventJob[]): Promise<void> {
    for (let from = 0, to = 1; from < jobs.length; from = to++) {
      const { subscription, event } = jobs[from] as EventJob;
      while (to < jobs.length && jobs[to]?.subscription === subscription) to++;
      const some = jobs.slice(from, to);
      if (subscription) await this.handle(some, subscription);
      else
        for (const job of some)
          this.consumer.deadLetter(job, new Error(`there is no handler for ${event.type}`));
    }
  }

  private async handle(jobs: readonly EventJob[], subscription: Subscription): Promise<void> {
    this.serving.metrics.batch?.(this.options.queue, jobs.length);
    const errors = await this.handleInSpans(jobs, subscription);
    jobs.forEach((job, i) => this.consumer.finish(job, errors[i]));
  }

  /** Handles the events, and returns the error of each failed event. */
  private async handleInSpans(
    jobs: readonly EventJob[],
    subscription: Subscription,
  ): Promise<readonly unknown[]> {
    const { tracing, names } = this.serving;
    const { type } = (jobs[0] as EventJob).event;
    // The actual name of a private queue changes with each connection, so spans use its fixed part.
    const queue = names.queue(this.options.queue);
    const destination = { exchange: names.internalEvents, key: type, queue };
    const spans = jobs.map((job) => (job.span = messageSpan(tracing, 'process', destination, job.facts)));
    const work = () => errorsOf(jobs, subscription);
    const errors = await handledIn(tracing, destination, type, spans, work);
    spans.forEach((span, i) => span?.end(errors[i] === undefined ? undefined : errorTypeOf(errors[i])));
    return errors;
  }
}

/** True if waiting cannot enlarge the batch: it is full, or the prefetch limit is reached, so the broker sends nothing more. */
function isFull(waiting: readonly EventJob[]): boolean {
  if (waiting.length < prefetchMessages) return false;
  return (
    waiting.length >= batchMax || new Set(waiting.map(({ delivery }) => delivery)).size >= prefetchMessages
  );
}

/** @throws Error if the content is neither an event nor a list of events */
function eventsOf({ message }: Delivery): EventRecord[] {
  const content = parseExactly(message.content.toString('utf8'));
  const events = (Array.isArray(content) ? content : [content]) as EventRecord[];
  if (!events.every((event) => typeof event?.type === 'string')) throw new Error('not an event');
  return events;
}

/** Handles the events, and returns the error of each failed event. */
function errorsOf(jobs: readonly EventJob[], { handle }: Subscription): Promise<readonly unknown[]> {
  // A handler that reports no errors has handled all events.
  const handleSome = async (events: readonly EventRecord[]) =>
    (await handle(events)) ?? events.map(() => undefined);
  return handleBatch<EventRecord, unknown>(
    jobs.map(({ event }) => event),
    handleSome,
    (error) => error,
  );
}
