import type { Channel } from '@receipts/contracts';
import type { CloudEvent } from '@receipts/kernel';
import { isDuplicateKey, outboxItem, type CollectionDeclaration, type OutboxItem } from '@receipts/storage';
import type { Collection } from 'mongodb';

export type DeliveryStatus = 'pending' | 'sent' | 'failed' | 'suppressed';

export interface DeliveryDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly receiptId: string;
  readonly channel: Channel;
  readonly address: string;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly requestedAt: Date;
  readonly updatedAt: Date;
  /** Present while it is pending: when the next attempt is due, or when the claim of an attempt ends. */
  readonly dueAt?: Date;
  readonly version: number;
  readonly requestId: string;
  readonly outbox?: readonly OutboxItem[];
}

export const deliveriesDeclaration: CollectionDeclaration = {
  name: 'deliveries',
  indexes: [
    { name: 'by_receipt', key: { retailer: 1, receiptId: 1, requestedAt: -1 } },
    { name: 'due', key: { dueAt: 1 }, sparse: true },
  ],
};

/** A dead process gives its claim back after this time. */
const claimMs = 60_000;
const listMax = 100;

export class Deliveries {
  constructor(private readonly collection: Collection<DeliveryDocument>) {}

  /** False when a delivery of this id exists: the event that asked for it came twice. */
  async add(
    document: Omit<DeliveryDocument, 'outbox'>,
    event: CloudEvent,
  ): Promise<OutboxItem[] | undefined> {
    const outbox = [outboxItem(event)];
    try {
      await this.collection.insertOne({ ...document, outbox });
      return outbox;
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }

  async ofReceipt(retailer: string, receiptId: string): Promise<DeliveryDocument[]> {
    return this.collection.find({ retailer, receiptId }).sort({ requestedAt: -1 }).limit(listMax).toArray();
  }

  /** One that was requested to the same address a moment ago and has not failed. */
  async recent(
    retailer: string,
    receiptId: string,
    channel: Channel,
    address: string,
    since: Date,
  ): Promise<DeliveryDocument | null> {
    const filter = { retailer, receiptId, requestedAt: { $gte: since }, channel, address };
    return this.collection.findOne({ ...filter, status: { $in: ['pending', 'sent'] } });
  }

  /** Claims one attempt that is due, so that no other process makes it at the same time. */
  async claimDue(now: Date): Promise<DeliveryDocument | null> {
    return this.collection.findOneAndUpdate(
      { dueAt: { $lte: now } },
      { $set: { dueAt: new Date(now.getTime() + claimMs) }, $inc: { attempts: 1 } },
      { sort: { dueAt: 1 }, returnDocument: 'after' },
    );
  }

  async postpone(id: string, reason: string, dueAt: Date, now: Date): Promise<void> {
    await this.collection.updateOne({ _id: id }, { $set: { reason, dueAt, updatedAt: now } });
  }

  async finish(
    id: string,
    outcome: { status: DeliveryStatus; reason: string | null },
    event: CloudEvent,
    now: Date,
  ): Promise<OutboxItem> {
    const item = outboxItem(event);
    await this.collection.updateOne(
      { _id: id },
      {
        $set: { ...outcome, updatedAt: now },
        $unset: { dueAt: '' },
        $inc: { version: 1 },
        $push: { outbox: item } as never,
      },
    );
    return item;
  }
}
