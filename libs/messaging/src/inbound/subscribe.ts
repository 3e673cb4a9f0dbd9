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
 * Between two batches of a durable queue, while events are few: a handler's commands to its database are the same for one event
 * as for many, and nobody waits for an answer.
 */
const gatherMs = 50;
/** A private queue has no retry queues: its events are tried again on the spot. */
const privateTriesMax = 3;
const privateRetryDelayMs = 1_000;

export interface SubscribeOptions {
  /** The name of the queue; by custom `<service>.on-<what>`. */
  readonly queue: string;
  /** Made by `on`. */
  readonly subscriptions: readonly Subscription[];
  /** One queue for this process alone, gone with its connection: for read models that are kept in memory. */
  readonly exclusive?: boolean;
  /** True where the queue gets nothing before `bind`: for events that are only sometimes wanted. */
  readonly unbound?: boolean;
  /** Events that are handed over at most in one go; 256 unless given. */
  readonly batchMax?: number;
}

/** A subscription whose queue can be bound to more or less of what its handlers are for. */
export interface Subscriber extends Consumer {
  /**
   * From the return on, every event of these contracts that is published gets into the queue, here and after each reconnect.
   * @throws ServiceError 503 when the broker is away; it is bound once it is back.
   */
  bind(contracts: readonly EventContract[]): Promise<void>;
  /** Takes them out of the queue's bindings; other processes with the same queue must not want them either. */
  unbind(contracts: readonly EventContract[]): Promise<void>;
}

/** One message on its way through the handlers: acknowledged when each of its events is dealt with. */
interface Batch {
  readonly delivery: Delivery;
  left: number;
}

interface EventJob {
  readonly batch: Batch;
  readonly event: EventRecord;
  readonly subscription: Subscription;
}

/** Keeps a queue bound to the events of the subscriptions and hands over what arrives. */
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
  /** Apart from the others, so that an event that hangs holds up nobody else's. */
  readonly #suspectLane: Lane<EventJob>;
  readonly #consumption: Consumption;
  /** Events that were in hand when processes died, taken one at a time; none for a private queue. */
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
      // A private queue has a new name for each connection: the broker may take a while to see that the old one is dead.
      const name = serving.names.queue(exclusive ? `${queue}.${randomUUID()}` : queue);
      const bindings = [...this.#bound].map((type) => this.#bindingOf(name, type));
      if (exclusive) return privateQueue(name, bindings);
      return safeQueue(name, serving.topology.steps, bindings);
    };
    this.#lane = new Lane<EventJob>({
      type: queue,
      batchMax,
      // One at a time, so that the order of the queue is kept.
      concurrency: 1,
      // What is kept in memory is cheap to bring up to date, and revocations among it are urgent.
      gatherMs: exclusive ? 0 : gatherMs,
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
    return { queue, exchange: this.#serving.names.facts, key };
  }

  /** @param isolates true where an event that was in hand when processes died is put among the suspects */
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
          void this.#aside(job, new Error(`nobody here subscribes to ${event.type}`), 'park');
        else if (isSuspect) void this.#aside(job, undefined, 'isolate');
        else lane.add(job);
      }
    } catch (error) {
      void this.#parkUnread(delivery, error);
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

  /** A suspect whose handler hangs is given up: it would keep all that wait behind it until the process ends. */
  async #runSuspect(job: EventJob): Promise<void> {
    const { metrics, suspectTimeoutMs } = this.#serving;
    metrics.consumed?.(suspectsQueue(this.#options.queue), 1);
    const handled = this.#outcomesOf([job.event], job.subscription);
    let error: unknown;
    try {
      [error] = await within(suspectTimeoutMs, 'handling it alone', handled);
    } catch (timeout) {
      return void (await this.#aside(job, timeout, 'park'));
    }
    if (error === undefined) this.#done(job.batch);
    else await this.#aside(job, error, 'move');
  }

  async #handle(jobs: readonly EventJob[], subscription: Subscription): Promise<void> {
    this.#serving.metrics.batch?.(this.#options.queue, jobs.length);
    const events = jobs.map(({ event }) => event);
    const outcomes = await this.#outcomesOf(events, subscription);
    await Promise.all(
      jobs.map(async (job, i) => {
        const error = outcomes[i];
        if (error === undefined) this.#done(job.batch);
        else if (this.#options.exclusive) await this.#retryHere(job, error);
        else await this.#aside(job, error, 'move');
      }),
    );
  }

  /** The outcomes of the events, which are handled as the work of their spans. */
  async #outcomesOf(events: readonly EventRecord[], subscription: Subscription): Promise<readonly unknown[]> {
    const { tracing, names } = this.#serving;
    if (!tracing) return outcomesOf(subscription, events);
    const { type } = events[0] as EventRecord;
    // The name of a private queue is another one for each connection.
    const queue = names.queue(this.#options.queue);
    const destination: Destination = { exchange: names.facts, key: type, queue };
    const spans = events.map((event) => processSpan(tracing, destination, factsOf(event)));
    const work = () => outcomesOf(subscription, events);
    const outcomes = await handledIn(tracing, destination, type, spans, work);
    spans.forEach((span, i) => span?.end(outcomes[i] === undefined ? undefined : errorTypeOf(outcomes[i])));
    return outcomes;
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

  /** Gives one event a message of its own, in a retry queue or the parking place. */
  async #aside({ batch, event }: EventJob, error: unknown, how: 'move' | 'park' | 'isolate'): Promise<void> {
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

  async #parkUnread(delivery: Delivery, error: unknown): Promise<void> {
    const { content, properties } = delivery.message;
    const type = textOf(properties.type) ?? 'unknown';
    const facts = { queue: this.#consumption.queue, type, retailer: '', traceparent: undefined };
    if (await this.#serving.failures.park({ ...facts, content, properties, error })) delivery.done();
  }
}

type Bindable = {
  bindQueue(queue: string, exchange: string, key: string): Promise<unknown>;
  unbindQueue(queue: string, exchange: string, key: string): Promise<unknown>;
};

function factsOf({ id, type, retailer, correlationid, traceparent }: EventRecord): MessageFacts {
  return { id, type, retailer, traceparent, conversationId: correlationid };
}

/** @throws Error when the content is neither an event nor a list of events. */
function eventsOf({ message }: Delivery): EventRecord[] {
  const content: unknown = JSON.parse(message.content.toString('utf8'));
  const events = (Array.isArray(content) ? content : [content]) as EventRecord[];
  if (!events.every((event) => typeof event?.type === 'string')) throw new Error('not an event');
  return events;
}

/** When the handler fails as a whole, each event is tried by itself, so that one bad event spoils no other. */
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
