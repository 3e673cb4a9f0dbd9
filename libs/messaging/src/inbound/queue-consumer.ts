import type { Channel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import { SupervisedChannel } from '../connection/supervised-channel';
import type { SupervisedConnection } from '../connection/supervised-connection';
import { oncePerTurn, within } from '../connection/timing';
import { faultFields, type Log } from '../reporting/log';
import { canaryType } from '../topology/probe-queue';
import type { QueueSet } from '../topology/queues';
import type { Topology } from '../topology/topology';
import type { BatchQueue } from './batch-queue';

const cancelTimeoutMs = 1_000;

/** A delivered message, which is acknowledged when all of its items are done. */
export class Delivery {
  /** True once an item was started; the message is then finished in this process. */
  isStarted = false;
  #itemsLeft = 1;

  constructor(
    readonly message: ConsumeMessage,
    private readonly acknowledge: () => void,
  ) {}

  /** How often the message was delivered before. */
  get deliveriesBefore(): number {
    const count: unknown = this.message.properties.headers?.['x-delivery-count'];
    if (typeof count === 'number') return count;
    return this.message.fields.redelivered ? 1 : 0;
  }

  /** Sets the number of items, which is 1 until then. */
  split(items: number): void {
    this.#itemsLeft = items;
    if (items === 0) this.acknowledge();
  }

  itemDone(): void {
    if (--this.#itemsLeft === 0) this.acknowledge();
  }
}

/**
 * Acknowledges messages of one channel, once per turn of the event loop, with one frame for all up to the first
 * unfinished. Has no effect once the channel is lost, because the broker then redelivers them.
 */
class Acknowledgements {
  readonly #channel: Channel;
  readonly #schedule = oncePerTurn(() => this.flush());
  /** Unacknowledged messages by delivery tag, in the order of delivery; true when done. */
  readonly #open = new Map<number, boolean>();
  #done = 0;

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
    this.#schedule();
  }

  flush(): void {
    let upTo: number | undefined;
    for (const [tag, isDone] of this.#open) {
      if (!isDone) break;
      upTo = tag;
      this.#remove(tag);
    }
    try {
      if (upTo !== undefined) this.#ack(upTo, true);
      if (this.#done > 0) this.#ackScattered();
    } catch {
      this.#open.clear();
      this.#done = 0;
    }
  }

  #ackScattered(): void {
    for (const [tag, isDone] of this.#open) {
      if (!isDone) continue;
      this.#remove(tag);
      this.#ack(tag, false);
    }
  }

  #remove(tag: number): void {
    this.#open.delete(tag);
    this.#done--;
  }

  #ack(deliveryTag: number, upTo: boolean): void {
    this.#channel.ack({ fields: { deliveryTag } } as ConsumeMessage, upTo);
  }
}

export interface QueueConsumerOptions {
  readonly connection: SupervisedConnection;
  readonly topology: Topology;
  /** Called for each connection. */
  readonly queues: () => QueueSet;
  /** Maximum unacknowledged messages. */
  readonly prefetch: number;
  readonly log: Log;
  /** Must not throw. */
  readonly deliver: (delivery: Delivery) => void;
  /** Called when the queue is consumed again after an interruption. */
  readonly resubscribed: () => void;
}

/** Consumes one queue on its own channel until it is closed. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  readonly #channel: SupervisedChannel;
  #tag: string | undefined;
  #acknowledgements: Acknowledgements | undefined;
  #isCancelled = false;
  #opened = 0;
  #queue: string;

  constructor(options: QueueConsumerOptions) {
    const { connection, topology, queues } = options;
    this.#options = options;
    this.#queue = options.queues().main.name;
    this.#channel = new SupervisedChannel(connection, {
      name: `consumer of ${this.#queue}`,
      prepare: (current) => {
        const set = queues();
        this.#queue = set.main.name;
        return topology.assert(current, set);
      },
      setup: (channel) => this.#subscribe(channel),
      opened: () => {
        if (++this.#opened > 1) this.#options.resubscribed();
      },
    });
  }

  get queue(): string {
    return this.#queue;
  }

  async start(): Promise<void> {
    await this.#options.connection.open(this.#channel);
  }

  /** Stops consuming; delivered messages can still be acknowledged. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    const { channel } = this.#channel;
    if (!channel || this.#tag === undefined) return;
    await within(cancelTimeoutMs, 'cancelling a consumer', channel.cancel(this.#tag)).catch(() => {});
  }

  /** Closes the channel, which returns everything unacknowledged to the broker. */
  async close(): Promise<void> {
    this.#acknowledgements?.flush();
    await this.#options.connection.remove(this.#channel);
  }

  async #subscribe(channel: ConfirmChannel): Promise<void> {
    if (this.#isCancelled) return;
    await channel.prefetch(this.#options.prefetch);
    const acknowledgements = new Acknowledgements(channel);
    this.#acknowledgements = acknowledgements;
    const { consumerTag } = await channel.consume(this.#queue, (message) => {
      if (message) this.#delivered(message, acknowledgements);
      else this.#cancelledByBroker();
    });
    this.#tag = consumerTag;
  }

  #delivered(message: ConsumeMessage, acknowledgements: Acknowledgements): void {
    const tag = message.fields.deliveryTag;
    acknowledgements.delivered(tag);
    const acknowledge = () => acknowledgements.done(tag);
    if (message.properties.type === canaryType) return acknowledge();
    if (this.#isCancelled) return;
    try {
      this.#options.deliver(new Delivery(message, acknowledge));
    } catch (error) {
      this.#options.log.error('a delivery could not be taken', { queue: this.#queue, ...faultFields(error) });
    }
  }

  #cancelledByBroker(): void {
    this.#options.log.warn('the broker has cancelled a consumer', { queue: this.#queue });
    void this.#channel.renew();
  }
}

export interface StopOptions<J extends { readonly delivery: Delivery }> {
  readonly consumers: readonly QueueConsumer[];
  readonly queues: readonly BatchQueue<J>[];
  readonly graceMs: number;
  readonly log: Log;
  /** Called after the last job, before the channels are closed. */
  readonly finished?: () => Promise<void> | void;
}

/** Stops consuming, finishes the messages that were started, and returns the others to the broker. */
export async function stopConsuming<J extends { readonly delivery: Delivery }>(
  options: StopOptions<J>,
): Promise<void> {
  const { consumers, queues, graceMs, log, finished } = options;
  await Promise.all(consumers.map((consumer) => consumer.cancel()));
  for (const queue of queues) queue.drop(({ delivery }) => !delivery.isStarted);
  const idle = Promise.all(queues.map((queue) => queue.idle()));
  await within(graceMs, 'ending the handlers', idle).catch((error: unknown) => {
    log.warn('handlers did not end in time; their messages go back', faultFields(error));
  });
  await finished?.();
  await Promise.all(consumers.map((consumer) => consumer.close()));
}
