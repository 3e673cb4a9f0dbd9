import type { Message } from 'amqplib';
import { Idle, resolvesWithin } from '@receipts/kernel';
import { SupervisedChannel, type OutgoingMessage } from '../connection/supervised-channel';
import type { MessageKind, PublishOutcome } from '../reporting/metrics';
import type { BrokerContext } from '../topology/broker-context';

/**
 * If there is no confirm after this time, the channel is replaced, because the broker has lost the message or no longer
 * works.
 */
const confirmTimeoutMs = 5_000;
const confirmCheckIntervalMs = 500;

/** An event is published to two exchanges, so its id alone does not identify a returned message. */
function returnKey(exchange: string, key: string, messageId: unknown): string {
  return `${exchange}\n${key}\n${String(messageId)}`;
}

interface Unconfirmed {
  readonly sentAt: number;
  readonly key: string;
  readonly settle: (error: unknown) => void;
}

/** Publishes messages and reports the broker's response. It does not retry. */
export class ConfirmedPublisher {
  /** The unconfirmed messages, in the order in which they were sent. */
  private readonly unconfirmed = new Map<number, Unconfirmed>();
  /** The number of messages per destination and id that were returned but not yet confirmed. */
  private readonly returned = new Map<string, number>();
  readonly channel: SupervisedChannel;
  private readonly idle = new Idle(() => this.unconfirmed.size === 0);
  private lastNumber = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param name of the channel: what is published on one does not wait for what is published on another */
  constructor(
    private readonly context: BrokerContext,
    name: string,
  ) {
    this.channel = new SupervisedChannel(context.publishing, {
      name,
      confirms: true,
      setup: async (channel) => {
        channel.on('return', ({ fields: { exchange, routingKey }, properties: { messageId } }: Message) => {
          const key = returnKey(exchange, routingKey, messageId);
          this.returned.set(key, (this.returned.get(key) ?? 0) + 1);
        });
      },
      closed: () => {
        // amqplib reports nothing for a channel that was abandoned.
        for (const { settle } of this.unconfirmed.values()) settle(new Error('the channel was closed'));
        this.returned.clear();
      },
    });
  }

  start(): Promise<void> {
    return this.context.publishing.open(this.channel);
  }

  /** Resolves with the broker's response, or with `unknown` if the channel is lost first. */
  publish(kind: MessageKind, message: OutgoingMessage): Promise<PublishOutcome> {
    const { metrics, now, log } = this.context;
    const { key } = message;
    return new Promise((resolve) => {
      if (!this.channel.channel) return resolve('unknown');
      const number = ++this.lastNumber;
      const sentAt = now();
      const settle = (error: unknown) => {
        if (!this.unconfirmed.delete(number)) return;
        const outcome = this.outcomeOf(error, message);
        metrics.confirmed?.(kind, outcome, now() - sentAt);
        resolve(outcome);
        this.idle.check();
      };
      try {
        this.channel.publish(message, settle);
      } catch (error) {
        log.warn('a message could not be sent', { key, error });
        return resolve('unknown');
      }
      this.unconfirmed.set(number, { sentAt, key, settle });
      this.timer ??= setInterval(() => this.check(), confirmCheckIntervalMs);
    });
  }

  /** Waits for the outcomes of all messages, and logs if some are missing after the timeout. */
  async drain(timeoutMs: number): Promise<void> {
    if (await resolvesWithin(timeoutMs, this.idle.wait())) return;
    const { log } = this.context;
    log.warn('not all messages were confirmed before closing', { unconfirmed: this.unconfirmed.size });
  }

  private outcomeOf(error: unknown, { exchange, key, properties }: OutgoingMessage): PublishOutcome {
    // An unroutable message is first returned and then confirmed.
    const name = returnKey(exchange, key, properties.messageId);
    const returned = this.returned.get(name);
    if (returned !== undefined) {
      if (returned > 1) this.returned.set(name, returned - 1);
      else this.returned.delete(name);
      return 'returned';
    }
    if (!error) return 'confirmed';
    return error instanceof Error && error.message === 'message nacked' ? 'refused' : 'unknown';
  }

  private check(): void {
    const [oldest] = this.unconfirmed.values();
    if (oldest === undefined) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const { publishing, now, log } = this.context;
    // A blocked broker does not confirm, and closing a channel would hang as well.
    if (publishing.state !== 'up' || now() - oldest.sentAt < confirmTimeoutMs) return;
    log.warn('the broker did not confirm in time', {
      unconfirmed: this.unconfirmed.size,
      oldest: oldest.key,
    });
    void this.channel.renew();
  }
}
