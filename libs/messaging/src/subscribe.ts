import { randomUUID } from 'node:crypto';
import type { CloudEvent } from '@receipts/kernel';
import { Consumption, type Delivery } from './consumption';
import type { Failures } from './failures';
import { Lane } from './lane';
import { faultFields } from './log';
import { textOf } from './properties';
import { graceDefaultMs, type Consumer, type Serving } from './serve';
import { pause, within } from './time-limit';
import { eventExchange, privateQueue, safeQueue } from './topology';

const batchMaxDefault = 256;
/** A private queue has no retry queues: its events are tried again on the spot. */
const privateTriesMax = 3;
const privateRetryDelayMs = 1_000;

type EventOutcomes = readonly (undefined | Error)[] | void;

export interface SubscribeOptions {
  /** The name of the queue; by custom `<service>.on-events`. */
  readonly queue: string;
  /** Event types; `*` stands for one part, `#` for any number of them: `receipt.*`. */
  readonly types: readonly string[];
  /** One queue for this process alone, gone with its connection: for read models that are kept in memory. */
  readonly exclusive?: boolean;
  /** Events that are handed over at most in one go; 256 unless given. */
  readonly batchMax?: number;
  /**
   * Gets events in the order of the queue, one batch at a time, and says for each, in the same order, whether it failed.
   * A failed event is tried again by itself. Must be idempotent: delivery is at least once.
   */
  readonly handle: (events: readonly CloudEvent[]) => Promise<EventOutcomes>;
}

interface EventJob {
  readonly delivery: Delivery;
  readonly event: CloudEvent;
}

/** Keeps a durable queue bound to the events of these types and hands over what arrives. */
export async function subscribe(serving: Serving, options: SubscribeOptions): Promise<Consumer> {
  const subscription = new Subscription(serving, options);
  await subscription.start();
  return subscription;
}

class Subscription implements Consumer {
  readonly #serving: Serving;
  readonly #options: SubscribeOptions;
  readonly #lane: Lane<EventJob>;
  readonly #consumption: Consumption;

  constructor(serving: Serving, options: SubscribeOptions) {
    const { exclusive = false, batchMax = batchMaxDefault, types } = options;
    this.#serving = serving;
    this.#options = options;
    const bindingsOf = (queue: string) => types.map((key) => ({ queue, exchange: eventExchange, key }));
    const shared = safeQueue(
      options.queue,
      serving.queueType,
      serving.topology.steps,
      bindingsOf(options.queue),
    );
    const queues = () => {
      if (!exclusive) return shared;
      // A new name for each connection: the broker may take a while to see that the old one is dead.
      const name = `${options.queue}.${randomUUID()}`;
      return privateQueue(name, bindingsOf(name));
    };
    this.#lane = new Lane<EventJob>({
      type: options.queue,
      batchMax,
      // One at a time, so that the order of the queue is kept.
      concurrency: 1,
      start: () => true,
      run: (jobs) => this.#run(jobs),
      log: serving.log,
    });
    this.#consumption = new Consumption({
      ...serving,
      queues,
      prefetch: batchMax,
      deliver: (delivery) => this.#take(delivery),
    });
  }

  async start(): Promise<void> {
    await this.#consumption.start();
  }

  async close(graceMs: number = graceDefaultMs): Promise<void> {
    await this.#consumption.cancel();
    this.#lane.drop(() => true);
    await within(graceMs, 'ending the subscriber', this.#lane.idle()).catch((error: unknown) => {
      this.#serving.log.warn('a subscriber did not end in time; its events go back', faultFields(error));
    });
    await this.#consumption.close();
  }

  #take(delivery: Delivery): void {
    try {
      const event = JSON.parse(delivery.message.content.toString('utf8')) as CloudEvent;
      if (typeof event?.type !== 'string') throw new Error('not a CloudEvent');
      this.#lane.add({ delivery, event });
    } catch (error) {
      void this.#failed({ delivery, event: undefined }, error, (failures, failed) => failures.park(failed));
    }
  }

  async #run(jobs: readonly EventJob[]): Promise<void> {
    const { metrics } = this.#serving;
    metrics.consumed?.(this.#options.queue, jobs.length);
    metrics.batch?.(this.#options.queue, jobs.length);
    const outcomes = await this.#outcomes(jobs.map(({ event }) => event));
    await Promise.all(
      jobs.map(async (job, i) => {
        const error = outcomes[i];
        if (error === undefined) return job.delivery.done();
        if (this.#options.exclusive) await this.#retryHere(job, error);
        else await this.#failed(job, error, (failures, failed) => failures.move(failed));
      }),
    );
  }

  /** When the handler fails as a whole, each event is tried by itself, so that one bad event spoils no other. */
  async #outcomes(events: readonly CloudEvent[]): Promise<readonly unknown[]> {
    try {
      return (await this.#options.handle(events)) ?? [];
    } catch (error) {
      if (events.length === 1) return [error ?? new Error('the subscriber failed')];
      const outcomes: unknown[] = [];
      for (const event of events) outcomes.push((await this.#outcomes([event]))[0]);
      return outcomes;
    }
  }

  async #retryHere(job: EventJob, firstError: unknown): Promise<void> {
    let error: unknown = firstError;
    for (let tries = 1; error !== undefined && tries < privateTriesMax; tries++) {
      await pause(privateRetryDelayMs);
      [error] = await this.#outcomes([job.event]);
    }
    if (error !== undefined) {
      const { id, type } = job.event;
      const fields = { queue: this.#options.queue, type, event_id: id, ...faultFields(error) };
      this.#serving.log.error('an event was not applied', fields);
    }
    job.delivery.done();
  }

  async #failed(
    job: { delivery: Delivery; event: CloudEvent | undefined },
    error: unknown,
    move: (failures: Failures, failed: Parameters<Failures['move']>[0]) => Promise<boolean>,
  ): Promise<void> {
    const { content, properties } = job.delivery.message;
    const isSafe = await move(this.#serving.failures, {
      queue: this.#options.queue,
      type: textOf(properties.type) ?? job.event?.type ?? 'unknown',
      content,
      properties,
      retailer: job.event?.retailer ?? '',
      traceparent: job.event?.traceparent,
      error,
    });
    if (isSafe) job.delivery.done();
  }
}
