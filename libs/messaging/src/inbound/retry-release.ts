import type { Channel } from 'amqplib';
import { faultFields } from '../reporting/log';
import type { BrokerContext } from '../topology/broker-context';
import { retryQueue, type RetryStep } from '../topology/queues';

/**
 * Returns messages from retry queues before their delay has passed. A rejected message is moved by the broker, in the
 * same way as an expired one, so none can get lost. Those that have waited longest come first.
 */
export class RetryRelease {
  /** How many messages are still to be released, by queue, while a release is in progress. */
  readonly #wanted = new Map<string, number>();

  constructor(
    private readonly context: BrokerContext,
    private readonly steps: readonly RetryStep[],
  ) {}

  /** Releases up to `count` more messages to the queue. Never rejects: what is not released waits for its delay. */
  async release(queue: string, count: number): Promise<void> {
    const wanted = this.#wanted.get(queue);
    this.#wanted.set(queue, (wanted ?? 0) + count);
    if (wanted !== undefined) return;
    try {
      const connection = this.context.consuming.current;
      if (!connection) return;
      const released = connection.withChannel((channel) => this.#reject(channel, queue));
      await Promise.race([connection.lost, released]);
    } catch (error) {
      this.context.log.warn('retries were not released', { queue, ...faultFields(error) });
    } finally {
      this.#wanted.delete(queue);
    }
  }

  async #reject(channel: Channel, queue: string): Promise<void> {
    const longestFirst = this.steps.toReversed();
    for (const step of longestFirst) {
      for (let left; (left = this.#wanted.get(queue) ?? 0) > 0;) {
        const message = await channel.get(retryQueue(queue, step));
        if (!message) break;
        channel.nack(message, false, false);
        this.#wanted.set(queue, (this.#wanted.get(queue) ?? left) - 1);
      }
    }
  }
}
