import type { Channel } from 'amqplib';
import type { Connection } from '../connection/connection';
import { faultFields, type Log } from '../reporting/log';
import { retryQueue, type RetryStep } from '../topology/queues';

export interface RetryReleaseOptions {
  /** The connection that consumes; undefined while it is lost. */
  readonly connection: () => Connection | undefined;
  readonly steps: readonly RetryStep[];
  readonly log: Log;
}

/**
 * Returns messages from retry queues before their delay has passed. A rejected message is moved by the broker, in the
 * same way as an expired one, so none can get lost. Those that have waited longest come first.
 */
export class RetryRelease {
  readonly #options: RetryReleaseOptions;
  /** How many messages are still to be released, by queue, while a release is in progress. */
  readonly #wanted = new Map<string, number>();

  constructor(options: RetryReleaseOptions) {
    this.#options = options;
  }

  /** Releases up to `count` more messages to the queue. Never rejects: what is not released waits for its delay. */
  async release(queue: string, count: number): Promise<void> {
    const wanted = this.#wanted.get(queue);
    this.#wanted.set(queue, (wanted ?? 0) + count);
    if (wanted !== undefined) return;
    try {
      const connection = this.#options.connection();
      if (!connection) return;
      const released = connection.withChannel((channel) => this.#reject(channel, queue));
      await Promise.race([connection.lost, released]);
    } catch (error) {
      this.#options.log.warn('retries were not released', { queue, ...faultFields(error) });
    } finally {
      this.#wanted.delete(queue);
    }
  }

  async #reject(channel: Channel, queue: string): Promise<void> {
    const longestFirst = this.#options.steps.toReversed();
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
