import type { Channel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import { SupervisedChannel } from '../connection/supervised-channel';
import { resolvesWithin } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import { probeType } from '../topology/probe-queue';
import type { QueueSet } from '../topology/queues';
import type { BatchQueue } from './batch-queue';
import type { BrokerContext } from '../topology/broker-context';
import type { Topology } from '../topology/topology';
import { Delivery } from './delivery';
import type { RetryRouter } from './retry-router';

const cancelTimeoutMs = 1_000;
/** The maximum number of unacknowledged messages per consumer. */
export const prefetchMessages = 64;

/**
 * How long a consumer that has been reopened goes before all other consumers, including its own earlier ones. The broker may still count on the consumer of the lost connection: it hands that one messages until it notices
 * that its node is away, which takes more than a minute by default.
 */
const goesFirstMs = 120_000;

/** How long a consumer may take by default to finish the work that it has started. */
export const graceDefaultMs = 8_000;

/** Consumes one or more queues. */
export interface Consumer {
  /** Stops consuming, finishes and replies to the started items, and returns the others to the broker. */
  close(graceMs?: number): Promise<void>;
}

/** The parts of the broker client that consumers need. */
export interface Serving extends BrokerContext {
  readonly topology: Topology;
  readonly retries: RetryRouter;
  /** How long a quarantined item may be handled before it is dead-lettered. */
  readonly quarantineTimeoutMs: number;
  /** Ends the process, because handlers of one kind are running and none has ended for 5 minutes. */
  readonly giveUp: (reason: Error) => void;
  /** Called when a queue is consumed again after an interruption. */
  readonly resubscribed: () => void;
}

/** Consumes one queue, on its own channel, until it is closed. */
export class QueueConsumer {
  private readonly deliver: (delivery: Delivery) => void;
  private readonly channel: SupervisedChannel;
  private tag: string | undefined;
  private isCancelled = false;
  private opened = 0;
  /** Higher than that of earlier consumers of this queue that the broker may not know to be lost. */
  private priority = 0;
  private timer: NodeJS.Timeout | undefined;
  private queueName: string;

  /**
   * @param queues called for each connection
   * @param prefetch the maximum number of unacknowledged messages
   */
  constructor(
    private readonly serving: Serving,
    queues: () => QueueSet,
    private readonly prefetch: number,
    deliver: (delivery: Delivery) => void,
  ) {
    const { consuming, topology, resubscribed } = serving;
    this.deliver = deliver;
    this.queueName = queues().main.name;
    this.channel = new SupervisedChannel(consuming, {
      name: `consumer of ${this.queueName}`,
      prepare: (connection) => {
        const set = queues();
        this.queueName = set.main.name;
        return topology.assert(connection, set);
      },
      setup: (channel) => this.subscribe(channel),
      opened: () => {
        if (++this.opened > 1) resubscribed();
      },
    });
  }

  get queue(): string {
    return this.queueName;
  }

  start(): Promise<void> {
    return this.serving.consuming.open(this.channel);
  }

  /** Stops consuming; delivered messages can still be acknowledged. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    const { current: channel } = this.channel;
    if (!channel || this.tag === undefined) return;
    await resolvesWithin(cancelTimeoutMs, channel.cancel(this.tag));
  }

  /** Closes the channel, which returns everything unacknowledged to the broker. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.serving.consuming.remove(this.channel);
  }

  private async subscribe(channel: ConfirmChannel): Promise<void> {
    if (this.isCancelled) return;
    await channel.prefetch(this.prefetch);
    if (this.opened > 0) this.priority++;
    this.tag = await this.consume(channel, this.priority);
    clearTimeout(this.timer);
    if (this.priority > 0) this.timer = setTimeout(() => void this.goBack(channel), goesFirstMs).unref();
  }

  private async consume(channel: ConfirmChannel, priority: number): Promise<string> {
    const receive = (message: ConsumeMessage | null) => {
      if (message) return this.delivered(message, channel);
      this.serving.log.warn('the broker has cancelled a consumer', { queue: this.queueName });
      void this.channel.renew();
    };
    return (await channel.consume(this.queueName, receive, { priority })).consumerTag;
  }

  /** Takes turns with the other consumers again. What was delivered can still be acknowledged. */
  private async goBack(channel: ConfirmChannel): Promise<void> {
    if (this.isCancelled || channel !== this.channel.current || this.tag === undefined) return;
    const { tag } = this;
    try {
      this.tag = await this.consume(channel, 0);
      await channel.cancel(tag);
      this.priority = 0;
    } catch (error) {
      // The channel is reopened.
      this.serving.log.warn('a consumer could not be replaced', { queue: this.queueName, error });
    }
  }

  private delivered(message: ConsumeMessage, channel: Channel): void {
    const delivery = new Delivery(message, channel);
    if (message.properties.type === probeType) return delivery.itemDone();
    if (this.isCancelled) return;
    try {
      this.deliver(delivery);
    } catch (error) {
      this.serving.log.error('a delivery could not be processed', { queue: this.queueName, error });
    }
  }
}

/**
 * Stops consuming and finishes the messages that were started. Closing the consumers then returns the others to the
 * broker.
 */
export async function stopConsuming<J extends { readonly delivery: Delivery }>(
  consumers: readonly QueueConsumer[],
  queues: readonly BatchQueue<J>[],
  graceMs: number,
  log: Log,
): Promise<void> {
  await Promise.all(consumers.map((consumer) => consumer.cancel()));
  for (const queue of queues) queue.drop(({ delivery }) => !delivery.isStarted);
  const idle = Promise.all(queues.map((queue) => queue.idle()));
  if (!(await resolvesWithin(graceMs, idle)))
    log.warn('handlers did not finish in time; their messages return to the queue', { grace_ms: graceMs });
}
