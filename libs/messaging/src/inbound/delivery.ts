import type { Channel, ConsumeMessage } from 'amqplib';
import type { Span } from '@receipts/kernel';
import type { MessageFacts } from '../reporting/spans';

/** A delivered message, which is acknowledged when all of its items are done. */
export class Delivery {
  /** True once an item has been started; the message is then finished in this process. */
  isStarted = false;
  private itemsLeft = 1;

  constructor(
    readonly message: ConsumeMessage,
    private readonly channel: Channel,
  ) {}

  /** How often the message was delivered before. */
  get deliveriesBefore(): number {
    const count: unknown = this.message.properties.headers?.['x-delivery-count'];
    if (typeof count === 'number') return count;
    return this.message.fields.redelivered ? 1 : 0;
  }

  /** Sets the number of items, which is 1 until then. */
  split(items: number): void {
    this.itemsLeft = items;
    if (items === 0) this.acknowledge();
  }

  itemDone(): void {
    if (--this.itemsLeft === 0) this.acknowledge();
  }

  private acknowledge(): void {
    try {
      this.channel.ack(this.message);
    } catch {
      // The channel is lost, so the broker redelivers the message.
    }
  }
}

/** A one-way command or an event of a delivered message, until it is done. */
export interface RetryableJob {
  readonly delivery: Delivery;
  readonly facts: MessageFacts;
  readonly span?: Span | undefined;
  /** True once the delivery's outcome is known; only the first outcome counts. */
  isSettled: boolean;
  /** The job as a separate message. */
  serialize(): { readonly content: Buffer; readonly contentType: string | undefined };
}
