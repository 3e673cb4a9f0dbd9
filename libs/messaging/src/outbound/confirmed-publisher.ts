import type { Message } from 'amqplib';
import { Idle, resolvesWithin } from '@receipts/concurrency';
import type { Connection } from '../connection/connection';
import { SupervisedChannel, type ChannelPlan, type OutgoingMessage } from '../connection/supervised-channel';
import type { MessageKind, PublishOutcome } from '../reporting/metrics';
import type { BrokerContext } from '../topology/broker-context';
import { acceptsMessages, probeType } from '../topology/probe-queue';

/**
 * If there is no confirm after this time, the channel is replaced, because the broker has lost the message or no longer
 * works.
 */
const confirmTimeoutMs = 5_000;
/**
 * If a message to a queue is not confirmed after this time, another is sent on another channel. If that is confirmed
 * first, the channel has missed that the queue has another leader: it would find out after 10 s.
 */
const overtakenMinMs = 1_000;
const confirmCheckIntervalMs = 500;

/** An event is published to two exchanges, so its id alone does not identify a returned message. */
function returnKey(exchange: string, key: string, messageId: unknown): string {
  return `${exchange}\n${key}\n${String(messageId)}`;
}

export interface ConfirmableMessage extends OutgoingMessage {
  /** True if the sender notices itself that the queue does not work, and then abandons the message. */
  readonly isWatched?: boolean;
}

export interface PublisherPlan extends ChannelPlan {
  /** Called when a late message is followed by another on a channel of its own, and the broker confirms that one. */
  readonly probed?: (connection: Connection) => void;
}

interface Unconfirmed {
  readonly sentAt: number;
  readonly message: ConfirmableMessage;
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

  private isProbing = false;

  /** @param plan of the channel: what is published on one does not wait for what is published on another */
  constructor(
    private readonly context: BrokerContext,
    private readonly plan: PublisherPlan,
  ) {
    this.channel = new SupervisedChannel(context.publishing, {
      ...plan,
      confirms: true,
      setup: async (channel) => {
        await plan.setup?.(channel);
        channel.on('return', ({ fields: { exchange, routingKey }, properties: { messageId } }: Message) => {
          const key = returnKey(exchange, routingKey, messageId);
          this.returned.set(key, (this.returned.get(key) ?? 0) + 1);
        });
      },
      closed: () => {
        // amqplib reports nothing for a channel that was abandoned.
        for (const { settle } of this.unconfirmed.values()) settle(new Error('the channel was closed'));
        this.returned.clear();
        plan.closed?.();
      },
    });
  }

  start(): Promise<void> {
    return this.context.publishing.open(this.channel);
  }

  /** Resolves with the broker's response, or with `unknown` if the channel is lost first. */
  publish(kind: MessageKind, message: ConfirmableMessage): Promise<PublishOutcome> {
    const { metrics, now, log } = this.context;
    const { key } = message;
    return new Promise((resolve) => {
      if (!this.channel.current) return resolve('unknown');
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
      this.unconfirmed.set(number, { sentAt, message, settle });
      this.timer ??= setInterval(() => this.check(), confirmCheckIntervalMs);
    });
  }

  /** Waits no longer for the confirms of the messages to this queue. Their outcome is `unknown`. */
  abandon(queue: string): void {
    for (const { message, settle } of Array.from(this.unconfirmed.values())) {
      if (message.exchange === '' && message.key === queue) settle(new Error('the queue is away'));
    }
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

  private oldest(): Unconfirmed | undefined {
    for (const one of this.unconfirmed.values()) if (!one.message.isWatched) return one;
    return undefined;
  }

  private check(): void {
    if (this.unconfirmed.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const { publishing, now, log } = this.context;
    const oldest = this.oldest();
    // A blocked broker does not confirm, and closing a channel would hang as well.
    if (publishing.state !== 'up' || !oldest) return;
    const ageMs = now() - oldest.sentAt;
    const isLate = ageMs >= confirmTimeoutMs;
    if (!isLate) return ageMs >= overtakenMinMs ? void this.probe(oldest) : undefined;
    const { key } = oldest.message;
    log.warn('the broker did not confirm in time', { unconfirmed: this.unconfirmed.size, oldest: key });
    void this.channel.renew();
  }

  /** Replaces the channel if another message to the same queue overtakes this one. */
  private async probe({ message: { exchange, key } }: Unconfirmed): Promise<void> {
    const { current } = this.context.publishing;
    const { names, log } = this.context;
    if (this.isProbing || !current || (exchange !== '' && exchange !== names.commands)) return;
    this.isProbing = true;
    const oldest = this.oldest();
    const isConfirmed = await acceptsMessages(current, key, { type: probeType }).catch(() => false);
    this.isProbing = false;
    if (isConfirmed) this.plan.probed?.(current);
    const isOvertaken = oldest !== undefined && [...this.unconfirmed.values()].includes(oldest);
    if (!isConfirmed || !isOvertaken || current.isBlocked || current.isLost) return;
    log.warn('a message was overtaken by one on another channel; replacing the channel', { queue: key });
    void this.channel.renew();
  }
}
