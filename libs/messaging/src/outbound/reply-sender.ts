import { SupervisedChannel } from '../connection/supervised-channel';
import { oncePerTurn } from '../connection/timing';
import { fillMessages, groupBy } from '../message/batches';
import { messageLimits, packEnvelope, type Packed } from '../message/envelope';
import { faultFields } from '../reporting/log';
import type { BrokerContext } from '../topology/broker-context';

/** Maximum replies waiting for a broker that accepts nothing; beyond that the oldest are dropped. */
const waitingMax = 20_000;

export interface PendingReply extends Packed {
  readonly replyTo: string;
  /** Epoch milliseconds after which the caller no longer waits for it. */
  readonly deadline: number;
}

/** Sends replies; those of one turn of the event loop to the same caller share a message. */
export class ReplySender {
  readonly #context: BrokerContext;
  readonly #channel: SupervisedChannel;
  readonly #schedule = oncePerTurn(() => this.flush());
  #waiting: PendingReply[] = [];

  constructor(context: BrokerContext) {
    this.#context = context;
    this.#channel = new SupervisedChannel(context.publishing, { name: 'replies' });
    context.publishing.onChange(() => {
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  start(): Promise<void> {
    return this.#context.publishing.open(this.#channel);
  }

  send(reply: PendingReply): void {
    this.#waiting.push(reply);
    this.#schedule();
  }

  /** Sends the waiting replies if the connection accepts them. */
  flush(): void {
    const { log, metrics, now } = this.#context;
    if (!this.#channel.canPublish) {
      const at = now();
      this.#waiting = this.#waiting.filter(({ deadline }) => deadline > at).slice(-waitingMax);
      return;
    }
    const byCaller = groupBy(this.#waiting, ({ replyTo }) => replyTo);
    this.#waiting = [];
    try {
      for (const [key, replies] of byCaller) {
        for (const message of fillMessages(replies, messageLimits, ({ body }) => body.length)) {
          // Not mandatory: a caller that is gone needs no reply.
          this.#channel.publish({ exchange: '', key, content: packEnvelope(message), properties: {} });
          metrics.published?.('reply', 'reply', message.length);
        }
      }
    } catch (error) {
      log.warn('replies could not be sent', faultFields(error));
    }
  }
}
