import { fillMessages, groupBy, oncePerTurn } from '@receipts/concurrency';
import { SupervisedChannel } from '../connection/supervised-channel';
import { messageLimits, packEnvelope, type Packed } from '../message/envelope';
import type { BrokerContext } from '../topology/broker-context';

/**
 * The maximum number of replies that wait while the broker does not accept messages; beyond that, the oldest are
 * dropped.
 */
const waitingMax = 20_000;

interface PendingReply extends Packed {
  readonly replyTo: string;
  /** Epoch milliseconds after which the caller no longer waits for the reply. */
  readonly deadline: number;
}

/** Sends replies. Replies to the same caller in one event loop turn share a message. */
export class ReplySender {
  private readonly context: BrokerContext;
  private readonly channel: SupervisedChannel;
  private readonly schedule = oncePerTurn(() => this.flush());
  private waiting: PendingReply[] = [];

  constructor(context: BrokerContext) {
    this.context = context;
    this.channel = new SupervisedChannel(context.publishing, { name: 'replies' });
    context.publishing.onChange(() => {
      if (this.waiting.length > 0) this.schedule();
    });
  }

  start(): Promise<void> {
    return this.context.publishing.open(this.channel);
  }

  send(reply: PendingReply): void {
    this.waiting.push(reply);
    this.schedule();
  }

  /** Sends the waiting replies if the connection accepts them. */
  flush(): void {
    const { log, metrics, now } = this.context;
    if (!this.channel.canPublish) {
      const at = now();
      this.waiting = this.waiting.filter(({ deadline }) => deadline > at).slice(-waitingMax);
      return;
    }
    const byCaller = groupBy(this.waiting, ({ replyTo }) => replyTo);
    this.waiting = [];
    try {
      for (const [key, replies] of byCaller) {
        for (const message of fillMessages(replies, messageLimits, ({ body }) => body.length)) {
          // Replies are not mandatory, because a caller that is gone needs no reply.
          this.channel.publish({ exchange: '', key, content: packEnvelope(message), properties: {} });
          metrics.published?.('reply', 'reply', message.length);
        }
      }
    } catch (error) {
      log.warn('replies could not be sent', { error });
    }
  }
}
