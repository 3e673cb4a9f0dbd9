import type { Message, Options } from 'amqplib';
import type { SupervisedConnection } from '../connection/supervised-connection';
import { Idle } from '../connection/timing';
import { faultFields, type Log } from '../reporting/log';
import type { MessageKind, MessagingMetrics, PublishOutcome } from '../reporting/metrics';
import { SupervisedChannel } from '../connection/supervised-channel';

/**
 * Without a confirm after this time the channel is replaced, because the broker has lost the message or no longer
 * works.
 */
export const confirmTimeoutMs = 5_000;
const confirmCheckIntervalMs = 500;

export interface Publication {
  readonly kind: MessageKind;
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly properties: Options.Publish;
}

/** An event is published to two exchanges, so its id alone does not identify a returned message. */
function returnKey(exchange: string, key: string, messageId: unknown): string {
  return `${exchange}\n${key}\n${String(messageId)}`;
}

export interface PublisherOptions {
  readonly connection: SupervisedConnection;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly now: () => number;
}

/** Publishes messages and reports the broker's response. It does not retry. */
export class ConfirmedPublisher {
  readonly #options: PublisherOptions;
  /** Send time and routing key of each unconfirmed message, in the order of sending. */
  readonly #unanswered = new Map<number, { readonly sentAt: number; readonly key: string }>();
  /** The number of messages per address and id that were returned and not yet confirmed. */
  readonly #returned = new Map<string, number>();
  readonly channel: SupervisedChannel;
  readonly #idle = new Idle(() => this.#unanswered.size === 0);
  #lastNumber = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.channel = new SupervisedChannel(options.connection, {
      name: 'confirmed',
      confirms: true,
      setup: async (channel) => {
        channel.on('return', ({ fields: { exchange, routingKey }, properties: { messageId } }: Message) => {
          const key = returnKey(exchange, routingKey, messageId);
          this.#returned.set(key, (this.#returned.get(key) ?? 0) + 1);
        });
      },
      closed: () => this.#returned.clear(),
    });
  }

  async start(): Promise<void> {
    await this.#options.connection.open(this.channel);
  }

  get unanswered(): number {
    return this.#unanswered.size;
  }

  publish(publication: Publication): Promise<PublishOutcome> {
    return new Promise((resolve) => this.publishThen(publication, resolve));
  }

  /** Like `publish` with a callback, which is called exactly once and always asynchronously. */
  publishThen(publication: Publication, done: (outcome: PublishOutcome) => void): void {
    const { kind, exchange, key, content, properties } = publication;
    const { metrics, now } = this.#options;
    const { channel } = this.channel;
    if (!channel) return void process.nextTick(done, 'unknown');
    const number = ++this.#lastNumber;
    const sentAt = now();
    const answered = (error: unknown) => {
      this.#unanswered.delete(number);
      const outcome = this.#outcomeOf(error, publication);
      metrics.confirmed?.(kind, outcome, now() - sentAt);
      if (this.#unanswered.size === 0) this.#stopTimer();
      done(outcome);
    };
    try {
      channel.publish(exchange, key, content, properties, answered);
    } catch (error) {
      this.#options.log.warn('a message could not be sent', { key, ...faultFields(error) });
      return void process.nextTick(done, 'unknown');
    }
    this.#unanswered.set(number, { sentAt, key });
    this.#timer ??= setInterval(() => this.#check(), confirmCheckIntervalMs);
  }

  /** Resolves once every message has an outcome. */
  idle(): Promise<void> {
    return this.#idle.wait();
  }

  #outcomeOf(error: unknown, { exchange, key, properties }: Publication): PublishOutcome {
    // An unroutable message is first returned and then confirmed.
    const name = returnKey(exchange, key, properties.messageId);
    const returned = this.#returned.get(name);
    if (returned !== undefined) {
      if (returned > 1) this.#returned.set(name, returned - 1);
      else this.#returned.delete(name);
      return 'returned';
    }
    if (!error) return 'confirmed';
    return error instanceof Error && error.message === 'message nacked' ? 'refused' : 'unknown';
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#idle.check();
  }

  #check(): void {
    const [oldest] = this.#unanswered.values();
    const { connection, now, log } = this.#options;
    // A blocked broker does not confirm, and closing a channel would hang as well.
    if (oldest === undefined || connection.state !== 'up' || now() - oldest.sentAt < confirmTimeoutMs) return;
    log.warn('the broker does not confirm', { unanswered: this.#unanswered.size, oldest: oldest.key });
    void this.channel.renew();
  }
}
