import { randomUUID } from 'node:crypto';
import type { EventContract, EventRecord } from '@receipts/kernel';
import { pause } from '../connection/timing';
import { eventContentType } from '../message/properties';
import { unavailableError } from '../outbound/backpressure-gate';
import { faultFields } from '../reporting/log';
import { errorTypeOf, handledIn, processSpan, type Destination } from '../reporting/spans';
import { privateQueue, quarantineOf, quarantineQueue, retryingQueue, type Binding } from '../topology/queues';
import { BatchQueue } from './batch-queue';
import { QueueConsumer, stopConsuming, type Delivery } from './queue-consumer';
import { hangingError, unreadable } from './retry-router';
import type { Consumer } from './serve';
import { deliveriesBeforeQuarantine, graceDefaultMs, prefetchMessages, type Serving } from './serving';
import type { Subscription } from './subscription';

const batchMaxDefault = 256;
/**
 * Gathering time between two batches of a durable queue while there are few events. A handler's database commands
 * cost the same for one event as for many. In batches of 60, receipts with a reward each take identifier and the
 * database 0.26 ms of processor time; in batches of 30, 0.39 ms (November 2026). Longer gathering would make larger
 * batches, but whoever follows the events, and reads a summary or the feed, waits for it.
 */
const gatherMs = 50;
/** A private queue has no retry queues, so its events are retried in the process. */
const privateTriesMax = 3;
const privateRetryDelayMs = 1_000;

export interface SubscribeOptions {
  /** The name of the queue, by convention `<service>.on-<what>`. */
  readonly queue: string;
  /** Created by `on`. */
  readonly subscriptions: readonly Subscription[];
  /** A queue for this process only, deleted with its connection: for read models in memory. */
  readonly exclusive?: boolean;
  /** True when the queue receives nothing before `bind`: for events that are needed only at times. */
  readonly unbound?: boolean;
  /** Maximum events per call of a handler; default 256. */
  readonly batchMax?: number;
}

/** A subscription whose queue can be bound to a varying subset of its contracts. */
export interface Subscriber extends Consumer {
  /**
   * Once it resolves, every published event of these contracts reaches the queue, also after a reconnect.
   * @throws ServiceError 503 when the broker is unavailable; the binding is made once it is back
   */
  bind(contracts: readonly EventContract[]): Promise<void>;
  /** Removes the bindings of these contracts. They are shared by all processes with the same queue. */
  unbind(contracts: readonly EventContract[]): Promise<void>;
}

/** One event of a delivered message. */
interface EventJob {
  readonly delivery: Delivery;
  readonly event: EventRecord;
  readonly subscription: Subscription;
  /** True once its outcome is known; only the first one counts. */
  isSettled: boolean;
}

/** Declares and binds a queue for the subscriptions, and handles its events. */
export async function subscribe(serving: Serving, options: SubscribeOptions): Promise<Subscriber> {
  const subscriber = new EventSubscriber(serving, options);
  await subscriber.start();
  return subscriber;
}

class EventSubscriber implements Subscriber {
  readonly #serving: Serving;
  readonly #options: SubscribeOptions;
  readonly #byType = new Map<string, Subscription>();
  readonly #bound: Set<string>;
  readonly #events: BatchQueue<EventJob>;
  /** Separate, so that a hanging event does not block others. */
  readonly #quarantined: BatchQueue<EventJob>;
  readonly #consumer: QueueConsumer;
  readonly #consumers: readonly QueueConsumer[];

  constructor(serving: Serving, options: SubscribeOptions) {
    const { queue, subscriptions, exclusive = false, unbound = false, batchMax = batchMaxDefault } = options;
    const { log, giveUp, quarantineTimeoutMs: timeoutMs } = serving;
    this.#serving = serving;
    this.#options = options;
    for (const subscription of subscriptions) {
      for (const { type } of subscription.contracts) {
        if (this.#byType.has(type)) throw new Error(`two handlers of ${queue} subscribe to ${type}`);
        this.#byType.set(type, subscription);
      }
    }
    this.#bound = new Set(unbound ? [] : this.#byType.keys());
    // One batch at a time preserves the order of the queue.
    const common = { concurrency: 1, log };
    this.#events = new BatchQueue<EventJob>({
      ...{ ...common, type: queue, batchMax, giveUp },
      // Updating in-memory state is cheap, and revocations are among these events, so they are not delayed.
      gatherMs: exclusive ? 0 : gatherMs,
      run: (jobs) => this.#run(jobs, queue),
    });
    this.#quarantined = new BatchQueue<EventJob>({
      ...{ ...common, type: quarantineQueue(queue), batchMax: 1, timeoutMs },
      run: (jobs) => this.#run(jobs, quarantineQueue(queue)),
      // It would block all others behind it until the process ends.
      timedOut: ([job]) => this.#deadLetterHanging(job as EventJob, timeoutMs),
    });
    this.#consumer = new QueueConsumer({
      ...{ ...serving, prefetch: prefetchMessages, queues: () => this.#queueSet() },
      deliver: (delivery) => this.#receive(delivery, this.#events),
    });
    this.#consumers = [this.#consumer];
    // A private queue has no quarantine: its events end with the process.
    if (exclusive) return;
    const quarantine = new QueueConsumer({
      ...{ ...serving, prefetch: 1, queues: () => quarantineOf(serving.names.queue(queue)) },
      deliver: (delivery) => this.#receive(delivery, this.#quarantined),
    });
    this.#consumers = [this.#consumer, quarantine];
  }

  async start(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.start()));
  }

  async bind(contracts: readonly EventContract[]): Promise<void> {
    for (const { type } of contracts) {
      if (!this.#byType.has(type)) throw new Error(`nobody at ${this.#options.queue} handles ${type}`);
      this.#bound.add(type);
    }
    await this.#changeBindings('bindQueue', contracts);
  }

  async unbind(contracts: readonly EventContract[]): Promise<void> {
    for (const { type } of contracts) this.#bound.delete(type);
    await this.#changeBindings('unbindQueue', contracts);
  }

  async close(graceMs: number = graceDefaultMs): Promise<void> {
    const queues = [this.#events, this.#quarantined];
    await stopConsuming({ consumers: this.#consumers, queues, graceMs, log: this.#serving.log });
  }

  #queueSet() {
    const { queue, exclusive = false } = this.#options;
    const { names, topology } = this.#serving;
    // The name is new for each connection, because the broker may take a while to notice that the old connection is
    // dead.
    const name = names.queue(exclusive ? `${queue}.${randomUUID()}` : queue);
    const bindings = [...this.#bound].map((type) => this.#bindingOf(name, type));
    return exclusive ? privateQueue(name, bindings) : retryingQueue(name, topology.steps, bindings);
  }

  async #changeBindings(
    change: 'bindQueue' | 'unbindQueue',
    contracts: readonly EventContract[],
  ): Promise<void> {
    const { log, connection } = this.#serving;
    if (!connection.current) throw unavailableError('the broker is down');
    const { queue } = this.#consumer;
    try {
      await connection.current.withChannel(async (channel) => {
        for (const { type } of contracts) {
          const { exchange, key } = this.#bindingOf(queue, type);
          await channel[change](queue, exchange, key);
        }
      });
    } catch (error) {
      log.warn('a binding was not changed', { queue, ...faultFields(error) });
      throw unavailableError('the broker has not changed the bindings');
    }
  }

  #bindingOf(queue: string, key: string): Binding {
    return { queue, exchange: this.#serving.names.internalEvents, key };
  }

  #receive(delivery: Delivery, queue: BatchQueue<EventJob>): void {
    try {
      const events = eventsOf(delivery);
      delivery.split(events.length);
      const mayKill =
        this.#consumers.length > 1 &&
        queue === this.#events &&
        delivery.deliveriesBefore >= deliveriesBeforeQuarantine;
      for (const event of events) {
        const subscription = this.#byType.get(event.type);
        if (!subscription)
          void this.#move(
            delivery,
            event,
            'deadLetter',
            new Error(`nobody here subscribes to ${event.type}`),
          );
        else if (mayKill) void this.#move(delivery, event, 'quarantine');
        else queue.add({ delivery, event, subscription, isSettled: false });
      }
    } catch (error) {
      const failed = unreadable(this.#consumer.queue, delivery.message, error);
      void this.#serving.retries.deadLetter(failed).then((isSafe) => isSafe && delivery.itemDone());
    }
  }

  async #run(jobs: readonly EventJob[], queue: string): Promise<void> {
    this.#serving.metrics.consumed?.(queue, jobs.length);
    for (let from = 0, to = 1; from < jobs.length; from = to++) {
      const { subscription } = jobs[from] as EventJob;
      while (jobs[to]?.subscription === subscription) to++;
      await this.#handle(jobs.slice(from, to), subscription);
    }
  }

  async #handle(jobs: readonly EventJob[], subscription: Subscription): Promise<void> {
    this.#serving.metrics.batch?.(this.#options.queue, jobs.length);
    const errors = await this.#errorsOf(
      jobs.map(({ event }) => event),
      subscription,
    );
    await Promise.all(
      jobs.map(async (job, i) => {
        const error = errors[i];
        if (error !== undefined && this.#options.exclusive) await this.#retryHere(job, error);
        else await this.#finish(job, error);
      }),
    );
  }

  /** Handles the events within their spans; the error of each one that failed. */
  async #errorsOf(events: readonly EventRecord[], subscription: Subscription): Promise<readonly unknown[]> {
    const { tracing, names } = this.#serving;
    if (!tracing) return errorsOf(subscription, events);
    const { type } = events[0] as EventRecord;
    // The actual name of a private queue changes with each connection, so spans use its fixed part.
    const queue = names.queue(this.#options.queue);
    const destination: Destination = { exchange: names.internalEvents, key: type, queue };
    const spans = events.map(({ id, type: name, retailer, correlationid: conversationId, traceparent }) =>
      processSpan(tracing, destination, { id, type: name, retailer, traceparent, conversationId }),
    );
    const work = () => errorsOf(subscription, events);
    const errors = await handledIn(tracing, destination, type, spans, work);
    spans.forEach((span, i) => span?.end(errors[i] === undefined ? undefined : errorTypeOf(errors[i])));
    return errors;
  }

  async #retryHere({ delivery, event, subscription }: EventJob, firstError: unknown): Promise<void> {
    let error: unknown = firstError;
    for (let tries = 1; error !== undefined && tries < privateTriesMax; tries++) {
      await pause(privateRetryDelayMs);
      [error] = await errorsOf(subscription, [event]);
    }
    if (error !== undefined) {
      const fields = { queue: this.#options.queue, type: event.type, event_id: event.id };
      this.#serving.log.error('an event was not applied', { ...fields, ...faultFields(error) });
    }
    delivery.itemDone();
  }

  async #finish(job: EventJob, error: unknown): Promise<void> {
    if (job.isSettled) return;
    job.isSettled = true;
    const { delivery, event } = job;
    if (error !== undefined) return this.#move(delivery, event, 'retry', error);
    this.#serving.retries.succeeded(this.#consumer.queue, delivery.message.properties);
    delivery.itemDone();
  }

  #deadLetterHanging(job: EventJob, timeoutMs: number): void {
    job.isSettled = true;
    void this.#move(job.delivery, job.event, 'deadLetter', hangingError(timeoutMs));
  }

  /** Moves one event as a message of its own. */
  async #move(
    delivery: Delivery,
    event: EventRecord,
    how: 'retry' | 'deadLetter' | 'quarantine',
    error?: unknown,
  ): Promise<void> {
    const { id: messageId, type, retailer, correlationid: correlationId, traceparent } = event;
    const isSafe = await this.#serving.retries[how]({
      ...{ queue: this.#consumer.queue, type, messageId, correlationId, retailer, traceparent, error },
      content: Buffer.from(JSON.stringify(event)),
      properties: { ...delivery.message.properties, contentType: eventContentType },
    });
    if (isSafe) delivery.itemDone();
  }
}

/** @throws Error when the content is neither an event nor a list of events */
function eventsOf({ message }: Delivery): EventRecord[] {
  const content: unknown = JSON.parse(message.content.toString('utf8'));
  const events = (Array.isArray(content) ? content : [content]) as EventRecord[];
  if (!events.every((event) => typeof event?.type === 'string')) throw new Error('not an event');
  return events;
}

/**
 * When the handler fails as a whole, the events are handled one by one, so that one bad event does not fail the
 * others.
 */
async function errorsOf(
  subscription: Subscription,
  events: readonly EventRecord[],
): Promise<readonly unknown[]> {
  try {
    return (await subscription.handle(events)) ?? [];
  } catch (error) {
    if (events.length === 1) return [error ?? new Error('the subscriber failed')];
    const errors: unknown[] = [];
    for (const event of events) errors.push((await errorsOf(subscription, [event]))[0]);
    return errors;
  }
}
