import { SupervisedChannel } from '../connection/supervised-channel';
import type { SupervisedConnection } from '../connection/supervised-connection';
import { oncePerTurn } from '../connection/timing';
import { messageLimits, packEnvelope, type Packed } from '../message/envelope';
import { fillMessages, groupBy } from '../message/batches';
import { faultFields, type Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';

/**
 * Maximum replies waiting for a broker that accepts nothing. Beyond that expired replies are dropped, and if none has
 * expired, the new one.
 */
const waitingMax = 20_000;

export interface PendingReply extends Packed {
  readonly replyTo: string;
  /** Epoch milliseconds after which the caller no longer waits for it. */
  readonly deadline: number;
}

export interface ReplySenderOptions {
  readonly connection: SupervisedConnection;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly now: () => number;
}

/** Sends replies; those of one turn of the event loop to the same caller share a message. */
export class ReplySender {
  readonly #options: ReplySenderOptions;
  readonly #channel: SupervisedChannel;
  readonly #schedule = oncePerTurn(() => this.flush());
  #waiting: PendingReply[] = [];

  constructor(options: ReplySenderOptions) {
    this.#options = options;
    this.#channel = new SupervisedChannel(options.connection, { name: 'replies' });
    options.connection.onChange(() => {
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async start(): Promise<void> {
    await this.#options.connection.open(this.#channel);
  }

  send(reply: PendingReply): void {
    if (this.#waiting.length >= waitingMax) {
      const now = this.#options.now();
      this.#waiting = this.#waiting.filter(({ deadline }) => deadline > now);
      if (this.#waiting.length >= waitingMax) return;
    }
    this.#waiting.push(reply);
    this.#schedule();
  }

  /** Sends the waiting replies if the connection accepts them. */
  flush(): void {
    const { connection, log, metrics } = this.#options;
    const { channel } = this.#channel;
    if (!channel || !connection.canWrite) return;
    const byCaller = groupBy(this.#waiting, ({ replyTo }) => replyTo);
    this.#waiting = [];
    try {
      for (const [replyTo, replies] of byCaller) {
        for (const message of fillMessages(replies, messageLimits, ({ body }) => body.length)) {
          // Not mandatory: a caller that is gone needs no reply.
          channel.publish('', replyTo, packEnvelope(message), {});
          metrics.published?.('reply', 'reply', message.length);
        }
      }
    } catch (error) {
      log.warn('replies could not be sent', faultFields(error));
    }
  }
}
