import type { Channel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Link } from '../connection/link';
import { faultFields, type Log } from '../reporting/log';
import { Slot } from '../connection/slot';
import { within } from '../connection/time-limit';
import { canaryType } from '../topology/canary';
import type { QueueSet } from '../topology/queues';
import type { Topology } from '../topology/topology';

const cancelTimeoutMs = 1_000;

export interface Delivery {
  readonly message: ConsumeMessage;
  /** How often the message was delivered before. */
  readonly deliveriesBefore: number;
  /** Acknowledges the message. Has no effect once its channel is lost, because the broker then redelivers it. */
  done(): void;
}

/**
 * Acknowledges messages of one channel, once per turn of the event loop, with one frame for all up to the first
 * unfinished.
 */
class Acknowledgements {
  readonly #channel: Channel;
  /** Unacknowledged messages by delivery tag, in the order of delivery; true when done. */
  readonly #open = new Map<number, boolean>();
  #done = 0;
  #scheduled = false;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  delivered(tag: number): void {
    this.#open.set(tag, false);
  }

  done(tag: number): void {
    if (this.#open.get(tag) !== false) return;
    this.#open.set(tag, true);
    this.#done++;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  flush(): void {
    let upTo: number | undefined;
    for (const [tag, isDone] of this.#open) {
      if (!isDone) break;
      upTo = tag;
      this.#done--;
      this.#open.delete(tag);
    }
    try {
      if (upTo !== undefined) this.#ack(upTo, true);
      if (this.#done > 0) this.#ackScattered();
    } catch {
      // The channel is closed, so the broker redelivers these messages.
      this.#open.clear();
      this.#done = 0;
    }
  }

  #ackScattered(): void {
    for (const [tag, isDone] of this.#open) {
      if (!isDone) continue;
      this.#open.delete(tag);
      this.#done--;
      this.#ack(tag, false);
    }
  }

  #ack(deliveryTag: number, upTo: boolean): void {
    this.#channel.ack({ fields: { deliveryTag } } as ConsumeMessage, upTo);
  }
}

export interface ConsumptionOptions {
  readonly link: Link;
  readonly topology: Topology;
  /** Called for each connection. */
  readonly queues: () => QueueSet;
  readonly prefetch: number;
  readonly log: Log;
  /** Must not throw. */
  readonly deliver: (delivery: Delivery) => void;
  /** Called when the queue is consumed again after an interruption. */
  readonly resubscribed: () => void;
}

function deliveriesBefore(message: ConsumeMessage): number {
  const count: unknown = message.properties.headers?.['x-delivery-count'];
  if (typeof count === 'number') return count;
  return message.fields.redelivered ? 1 : 0;
}

/** Consumes one queue on its own channel until it is closed. */
export class Consumption {
  readonly #options: ConsumptionOptions;
  #slot: Slot | undefined;
  #tag: string | undefined;
  #acknowledgements: Acknowledgements | undefined;
  #isCancelled = false;
  #opened = 0;
  #queue: string;

  constructor(options: ConsumptionOptions) {
    this.#options = options;
    this.#queue = options.queues().main.name;
  }

  get queue(): string {
    return this.#queue;
  }

  async start(): Promise<void> {
    const { link, topology, queues } = this.#options;
    this.#slot = new Slot(link, {
      name: `consumer of ${this.queue}`,
      prepare: (session) => {
        const set = queues();
        this.#queue = set.main.name;
        return topology.assert(session, set);
      },
      setup: (channel) => this.#subscribe(channel),
      opened: () => {
        if (++this.#opened > 1) this.#options.resubscribed();
      },
    });
    await link.open(this.#slot);
  }

  /** Stops consuming; delivered messages can still be acknowledged. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    const channel = this.#slot?.channel;
    if (!channel || this.#tag === undefined) return;
    await within(cancelTimeoutMs, 'cancelling a consumer', channel.cancel(this.#tag)).catch(() => {});
  }

  /** Closes the channel, which returns everything unacknowledged to the broker. */
  async close(): Promise<void> {
    this.#acknowledgements?.flush();
    if (this.#slot) await this.#options.link.remove(this.#slot);
  }

  async #subscribe(channel: ConfirmChannel): Promise<void> {
    if (this.#isCancelled) return;
    await channel.prefetch(this.#options.prefetch);
    const acknowledgements = new Acknowledgements(channel);
    this.#acknowledgements = acknowledgements;
    const { consumerTag } = await channel.consume(this.queue, (message) => {
      if (message) this.#delivered(message, acknowledgements);
      else this.#cancelledByBroker();
    });
    this.#tag = consumerTag;
  }

  #delivered(message: ConsumeMessage, acknowledgements: Acknowledgements): void {
    const tag = message.fields.deliveryTag;
    acknowledgements.delivered(tag);
    const done = () => acknowledgements.done(tag);
    if (message.properties.type === canaryType) return done();
    if (this.#isCancelled) return;
    try {
      this.#options.deliver({ message, deliveriesBefore: deliveriesBefore(message), done });
    } catch (error) {
      this.#options.log.error('a delivery could not be taken', { queue: this.queue, ...faultFields(error) });
    }
  }

  #cancelledByBroker(): void {
    this.#options.log.warn('the broker has cancelled a consumer', { queue: this.queue });
    void this.#slot?.renew();
  }
}
