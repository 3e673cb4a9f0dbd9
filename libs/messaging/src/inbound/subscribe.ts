import { randomUUID } from 'node:crypto';
import type { EventContract, EventRecord } from '@receipts/kernel';
import { unavailableError } from '../outbound/admission';
import { Consumption, type Delivery } from './consumption';
import type { Failed } from './failures';
import { Lane } from './lane';
import { faultFields } from '../reporting/log';
import { errorTypeOf, handledIn, processSpan, type Destination, type MessageFacts } from '../reporting/spans';
import { eventContentType, textOf } from '../message/properties';
import { deliveriesBeforeSplit, graceDefaultMs, type Consumer, type Serving } from './serve';
import type { Subscription } from './subscription';
import { pause, within } from '../connection/time-limit';
import { privateQueue, safeQueue, suspectsOf, suspectsQueue, type Binding } from '../topology/queues';

const batchMaxDefault = 256;
/** Unacknowledged messages; each holds up to 256 events and 256 KiB. */
const prefetchMessages = 64;
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
  /** True when the queue receives nothing before `bind`: for events that are only wanted at times. */
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

/** A message whose events are being handled; it is acknowledged when all of them are done. */
interface Batch {
  readonly delivery: Delivery;
  left: number;
}

interface EventJob {
  readonly batch: Batch;
  readonly event: EventRecord;
  readonly subscription: Subscription;
}

/** Declares and binds a queue for the subscriptions, and handles its events. */
export async function subscribe(serving: Serving, options: SubscribeOptions): Promise<Subscriber> {
  const queue = new QueueSubscriber(serving, options);
  await queue.start();
  return queue;
}

class QueueSubscriber implements Subscriber {
  readonly #serving: Serving;
  readonly #options: SubscribeOptions;
  readonly #byType = new Map<string, Subscription>();
  readonly #bound: Set<string>;
  readonly #lane: Lane<EventJob>;
  /** A separate lane, so that a hanging suspect does not block other events. */
  readonly #suspectLane: Lane<EventJob>;
  readonly #consumption: Consumption;
  /** Consumes suspects (events that were in flight when processes died) one at a time; a private queue has none. */
  readonly #suspects: Consumption | undefined;

  constructor(serving: Serving, options: SubscribeOptions) {
    const { queue, subscriptions, exclusive = false, unbound = false, batchMax = batchMaxDefault } = options;
    this.#serving = serving;
    this.#options = options;
    for (const subscription of subscriptions) {
      for (const { type } of subscription.contracts) {
        if (this.#byType.has(type)) throw new Error(`two handlers of ${queue} want ${type}`);
        this.#byType.set(type, subscription);
      }
    }
    this.#bound = new Set(unbound ? [] : this.#byType.keys());
    const queues = () => {
      // The name is new for each connection, because the broker may take a while to notice that the old connection is
      // dead.
      const name = serving.names.queue(exclusive ? `${queue}.${randomUUID()}` : queue);
      const bindings = [...this.#bound].map((type) => this.#bindingOf(name, type));
      if (exclusive) return privateQueue(name, bindings);
      return safeQueue(name, serving.topology.steps, bindings);
    };
    this.#lane = new Lane<EventJob>({
      type: queue,
      batchMax,
      // One batch at a time preserves the order of the queue.
      concurrency: 1,
      // Updating in-memory state is cheap, and revocations are among these events, so they are not delayed.
      gatherMs: exclusive ? 0 : gatherMs,
      giveUp: serving.giveUp,
      start: () => true,
      run: (jobs) => this.#run(jobs),
      log: serving.log,
    });
    this.#suspectLane = new Lane<EventJob>({
      type: suspectsQueue(queue),
      batchMax: 1,
      concurrency: 1,
      start: () => true,
      run: ([job]) => this.#runSuspect(job as EventJob),
      log: serving.log,
    });
    this.#consumption = new Consumption({
      ...serving,
      queues,
      prefetch: prefetchMessages,
      deliver: (delivery) => this.#take(delivery, this.#lane, !exclusive),
    });
    if (!exclusive) {
      const suspects = suspectsOf(serving.names.queue(queue));
      this.#suspects = new Consumption({
        ...serving,
        queues: () => suspects,
        prefetch: 1,
        deliver: (delivery) => this.#take(delivery, this.#suspectLane, false),
      });
    }
  }

  async start(): Promise<void> {
    await Promise.all([this.#consumption.start(), this.#suspects?.start()]);
  }

  async bind(contracts: readonly EventContract[]): Promise<void> {
    for (const { type } of contracts) {
      if (!this.#byType.has(type)) throw new Error(`nobody at ${this.#options.queue} handles ${type}`);
      this.#bound.add(type);
    }
    await this.#change(contracts, async (channel, { queue, exchange, key }) => {
      await channel.bindQueue(queue, exchange, key);
    });
  }

  async unbind(contracts: readonly EventContract[]): Promise<void> {
    for (const { type } of contracts) this.#bound.delete(type);
    await this.#change(contracts, async (channel, { queue, exchange, key }) => {
      await channel.unbindQueue(queue, exchange, key);
    });
  }

  async close(graceMs: number = graceDefaultMs): Promise<void> {
    await Promise.all([this.#consumption.cancel(), this.#suspects?.cancel()]);
    this.#lane.drop(() => true);
    this.#suspectLane.drop(() => true);
    const idle = Promise.all([this.#lane.idle(), this.#suspectLane.idle()]);
    await within(graceMs, 'ending the subscriber', idle).catch((error: unknown) => {
      this.#serving.log.warn('a subscriber did not end in time; its events go back', faultFields(error));
    });
    await Promise.all([this.#consumption.close(), this.#suspects?.close()]);
  }

  async #change(
    contracts: readonly EventContract[],
    apply: (channel: Bindable, binding: Binding) => Promise<void>,
  ): Promise<void> {
    const { session } = this.#serving.link;
    if (!session) throw unavailableError('the broker is down');
    const { queue } = this.#consumption;
    try {
      await session.withChannel(async (channel) => {
        for (const { type } of contracts) await apply(channel, this.#bindingOf(queue, type));
      });
    } catch (error) {
      this.#serving.log.warn('a binding was not changed', { queue, ...faultFields(error) });
      throw unavailableError('the broker has not changed the bindings');
    }
  }

  #bindingOf(queue: string, key: string): Binding {
    return { queue, exchange: this.#serving.names.internalEvents, key };
  }

  /** @param isolates true where events that were in flight when processes died go to the suspects queue */
  #take(delivery: Delivery, lane: Lane<EventJob>, isolates: boolean): void {
    try {
      const events = eventsOf(delivery);
      const batch: Batch = { delivery, left: events.length };
      if (events.length === 0) return delivery.done();
      const isSuspect = isolates && delivery.deliveriesBefore >= deliveriesBeforeSplit;
      for (const event of events) {
        const subscription = this.#byType.get(event.type);
        const job = { batch, event, subscription: subscription as Subscription };
        if (!subscription)
          void this.#aside(job, new Error(`nobody here subscribes to ${event.type}`), 'deadLetter');
        else if (isSuspect) void this.#aside(job, undefined, 'isolate');
        else lane.add(job);
      }
    } catch (error) {
      void this.#deadLetterUnread(delivery, error);
    }
  }

  async #run(jobs: readonly EventJob[]): Promise<void> {
    const { metrics } = this.#serving;
    metrics.consumed?.(this.#options.queue, jobs.length);
    for (let from = 0, to = 1; from < jobs.length; from = to++) {
      const { subscription } = jobs[from] as EventJob;
      while (jobs[to]?.subscription === subscription) to++;
      await this.#handle(jobs.slice(from, to), subscription);
    }
  }

  /**
   * A suspect whose handler hangs is dead-lettered, because it would block all suspects behind it until the process ends.
   */
  async #runSuspect(job: EventJob): Promise<void> {
    const { metrics, suspectTimeoutMs } = this.#serving;
    metrics.consumed?.(suspectsQueue(this.#options.queue), 1);
    const handled = this.#outcomesOf([job.event], job.subscription);
    let error: unknown;
    try {
      [error] = await within(suspectTimeoutMs, 'handling it alone', handled);
    } catch (timeout) {
      return void (await this.#aside(job, timeout, 'deadLetter'));
    }
    if (error === undefined) this.#succeeded(job.batch);
    else await this.#aside(job, error, 'move');
  }

  async #handle(jobs: readonly EventJob[], subscription: Subscription): Promise<void> {
    this.#serving.metrics.batch?.(this.#options.queue, jobs.length);
    const events = jobs.map(({ event }) => event);
    const outcomes = await this.#outcomesOf(events, subscription);
    await Promise.all(
      jobs.map(async (job, i) => {
        const error = outcomes[i];
        if (error === undefined) this.#succeeded(job.batch);
        else if (this.#options.exclusive) await this.#retryHere(job, error);
        else await this.#aside(job, error, 'move');
      }),
    );
  }

  /** Handles the events within their spans and returns their outcomes. */
  async #outcomesOf(events: readonly EventRecord[], subscription: Subscription): Promise<readonly unknown[]> {
    const { tracing, names } = this.#serving;
    if (!tracing) return outcomesOf(subscription, events);
    const { type } = events[0] as EventRecord;
    // The actual name of a private queue changes with each connection, so spans use its fixed part.
    const queue = names.queue(this.#options.queue);
    const destination: Destination = { exchange: names.internalEvents, key: type, queue };
    const spans = events.map((event) => processSpan(tracing, destination, factsOf(event)));
    const work = () => outcomesOf(subscription, events);
    const outcomes = await handledIn(tracing, destination, type, spans, work);
    spans.forEach((span, i) => span?.end(outcomes[i] === undefined ? undefined : errorTypeOf(outcomes[i])));
    return outcomes;
  }

  #succeeded(batch: Batch): void {
    this.#serving.failures.succeeded(this.#consumption.queue, batch.delivery.message.properties);
    this.#done(batch);
  }

  #done(batch: Batch): void {
    if (--batch.left === 0) batch.delivery.done();
  }

  async #retryHere({ batch, event, subscription }: EventJob, firstError: unknown): Promise<void> {
    let error: unknown = firstError;
    for (let tries = 1; error !== undefined && tries < privateTriesMax; tries++) {
      await pause(privateRetryDelayMs);
      [error] = await outcomesOf(subscription, [event]);
    }
    if (error !== undefined) {
      const fields = { queue: this.#options.queue, type: event.type, event_id: event.id };
      this.#serving.log.error('an event was not applied', { ...fields, ...faultFields(error) });
    }
    this.#done(batch);
  }

  /** Moves one event as a message of its own to a retry queue, the dead-letter queue or the suspects queue. */
  async #aside(
    { batch, event }: EventJob,
    error: unknown,
    how: 'move' | 'deadLetter' | 'isolate',
  ): Promise<void> {
    const { failures } = this.#serving;
    const { properties } = batch.delivery.message;
    const failed: Failed = {
      queue: this.#consumption.queue,
      type: event.type,
      content: Buffer.from(JSON.stringify(event)),
      properties: { ...properties, contentType: eventContentType },
      messageId: event.id,
      correlationId: event.correlationid,
      retailer: event.retailer,
      traceparent: event.traceparent,
      error,
    };
    if (await failures[how](failed)) this.#done(batch);
  }

  async #deadLetterUnread(delivery: Delivery, error: unknown): Promise<void> {
    const { content, properties } = delivery.message;
    const type = textOf(properties.type) ?? 'unknown';
    const facts = { queue: this.#consumption.queue, type, retailer: '', traceparent: undefined };
    if (await this.#serving.failures.deadLetter({ ...facts, content, properties, error })) delivery.done();
  }
}

type Bindable = {
  bindQueue(queue: string, exchange: string, key: string): Promise<unknown>;
  unbindQueue(queue: string, exchange: string, key: string): Promise<unknown>;
};

function factsOf({ id, type, retailer, correlationid, traceparent }: EventRecord): MessageFacts {
  return { id, type, retailer, traceparent, conversationId: correlationid };
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
async function outcomesOf(
  subscription: Subscription,
  events: readonly EventRecord[],
): Promise<readonly unknown[]> {
  try {
    return (await subscription.handle(events)) ?? [];
  } catch (error) {
    if (events.length === 1) return [error ?? new Error('the subscriber failed')];
    const outcomes: unknown[] = [];
    for (const event of events) outcomes.push((await outcomesOf(subscription, [event]))[0]);
    return outcomes;
  }
}
