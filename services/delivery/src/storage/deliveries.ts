import { createHash } from 'node:crypto';
import type { Channel } from '@receipts/contracts';
import type { PrintedEvent } from '@receipts/kernel';
import {
  isDuplicateKey,
  outboxIndex,
  outboxItem,
  type CollectionDeclaration,
  type OutboxItem,
} from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { folded } from '../domain/addresses';

export type DeliveryStatus = 'pending' | 'sent' | 'failed' | 'suppressed';

export interface DeliveryDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly receiptId: string;
  readonly channel: Channel;
  readonly address: string;
  /** The address as it is counted: a hash, so that nothing is left to be read when the address goes. */
  readonly recipient: string;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly requestedAt: Date;
  readonly updatedAt: Date;
  /** Present while it is pending: when the next attempt is due, or when the claim of an attempt ends. */
  readonly dueAt?: Date;
  /** When it reached the consumer, where the provider of the channel has told. */
  readonly deliveredAt?: Date;
  readonly version: number;
  readonly requestId: string;
  readonly outbox?: readonly OutboxItem[];
}

export type NewDelivery = Omit<DeliveryDocument, 'outbox' | 'recipient'>;

/** An attempt that one process has claimed. The number of attempts tells whether the claim is still its own. */
export type Claim = Pick<DeliveryDocument, '_id' | 'attempts'>;

export const deliveriesDeclaration: CollectionDeclaration = {
  name: 'deliveries',
  indexes: [
    { name: 'by_receipt', key: { retailer: 1, receiptId: 1, requestedAt: -1 } },
    { name: 'by_recipient', key: { retailer: 1, recipient: 1, requestedAt: -1 } },
    { name: 'due', key: { dueAt: 1 }, sparse: true },
    outboxIndex,
  ],
};

/** A dead process gives its claim back after this time, which is more than any attempt may take. */
const claimMs = 120_000;
const listMax = 100;
const recipientCharacters = 22;

const recipientOf = (address: string): string =>
  createHash('sha256').update(folded(address)).digest('base64url').slice(0, recipientCharacters);

const owned = ({ _id, attempts }: Claim) => ({ _id, attempts, status: 'pending' as const });

export class Deliveries {
  constructor(private readonly collection: Collection<DeliveryDocument>) {}

  /** Undefined when a delivery of this id exists: the event that asked for it came twice. */
  async add(
    document: NewDelivery,
    event: PrintedEvent,
    signal: AbortSignal,
  ): Promise<OutboxItem[] | undefined> {
    const outbox = [outboxItem(event)];
    try {
      await this.collection.insertOne(
        { ...document, recipient: recipientOf(document.address), outbox },
        { signal },
      );
      return outbox;
    } catch (error) {
      if (isDuplicateKey(error, '_id_')) return undefined;
      throw error;
    }
  }

  /** The newest first; more than a hundred are not shown. */
  async ofReceipt(retailer: string, receiptId: string, signal: AbortSignal): Promise<DeliveryDocument[]> {
    return this.collection
      .find({ retailer, receiptId }, { signal })
      .sort({ requestedAt: -1 })
      .limit(listMax)
      .toArray();
  }

  /** When something was last sent to an address: the newest first, at most as many as asked for. */
  async timesTo(
    retailer: string,
    address: string,
    last: { since: Date; countMax: number },
    signal: AbortSignal,
  ): Promise<Date[]> {
    return this.times({ retailer, recipient: recipientOf(address) }, last, signal);
  }

  /** When a receipt was last sent to anybody. */
  async timesOf(
    retailer: string,
    receiptId: string,
    last: { since: Date; countMax: number },
    signal: AbortSignal,
  ): Promise<Date[]> {
    return this.times({ retailer, receiptId }, last, signal);
  }

  private async times(
    whose: Filter<DeliveryDocument>,
    { since, countMax }: { since: Date; countMax: number },
    signal: AbortSignal,
  ): Promise<Date[]> {
    const found = await this.collection
      .find({ ...whose, requestedAt: { $gt: since }, status: { $ne: 'suppressed' } }, { signal })
      .sort({ requestedAt: -1 })
      .limit(countMax)
      .project<{ requestedAt: Date }>({ requestedAt: 1 })
      .toArray();
    return found.map(({ requestedAt }) => requestedAt);
  }

  /** Claims one attempt that is due, so that no other process makes it at the same time. */
  async claimDue(now: Date, signal: AbortSignal): Promise<DeliveryDocument | null> {
    return this.collection.findOneAndUpdate(
      { dueAt: { $lte: now } },
      { $set: { dueAt: new Date(now.getTime() + claimMs) }, $inc: { attempts: 1 } },
      { sort: { dueAt: 1 }, returnDocument: 'after', signal },
    );
  }

  /** Nothing happens when the claim has run out and another process has made an attempt of its own. */
  async postpone(claim: Claim, reason: string, dueAt: Date, now: Date, signal: AbortSignal): Promise<void> {
    await this.collection.updateOne(owned(claim), { $set: { reason, dueAt, updatedAt: now } }, { signal });
  }

  /** Undefined when the claim has run out and another process has made an attempt of its own. */
  async finish(
    claim: Claim,
    outcome: { status: DeliveryStatus; reason: string | null },
    event: PrintedEvent,
    now: Date,
    signal: AbortSignal,
  ): Promise<OutboxItem | undefined> {
    const item = outboxItem(event);
    const { matchedCount } = await this.collection.updateOne(
      owned(claim),
      {
        $set: { ...outcome, updatedAt: now },
        $unset: { dueAt: '' },
        $inc: { version: 1 },
        $push: { outbox: item } as never,
      },
      { signal },
    );
    return matchedCount === 1 ? item : undefined;
  }

  async find(id: string, signal: AbortSignal): Promise<DeliveryDocument | null> {
    return this.collection.findOne({ _id: id }, { signal });
  }

  /**
   * Writes down what the provider of a channel has told of a delivery, whoever works on it.
   * @returns what has to be published; undefined when the delivery is not as it was any more
   */
  async reported(
    { _id, version, status }: DeliveryDocument,
    change: { status: DeliveryStatus; reason: string | null; deliveredAt?: Date },
    event: PrintedEvent | undefined,
    now: Date,
    signal: AbortSignal,
  ): Promise<OutboxItem[] | undefined> {
    const items = event ? [outboxItem(event)] : [];
    const { matchedCount } = await this.collection.updateOne(
      { _id, version, status, deliveredAt: { $exists: false } },
      {
        $set: { ...change, updatedAt: now },
        $unset: { dueAt: '' },
        ...(event && { $inc: { version: 1 }, $push: { outbox: { $each: items } } as never }),
      },
      { signal },
    );
    return matchedCount === 1 ? items : undefined;
  }

  async idsOf(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<string[]> {
    const ofReceipts = { retailer, receiptId: { $in: [...receiptIds] } };
    const found = await this.collection.find(ofReceipts, { projection: { _id: 1 }, signal }).toArray();
    return found.map(({ _id }) => _id);
  }

  /** Takes the addresses out of the deliveries of these receipts, and ends those that are still pending. */
  async forgetAddresses(
    retailer: string,
    receiptIds: readonly string[],
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const ofReceipts = { retailer, receiptId: { $in: [...receiptIds] } };
    const ended = { status: 'failed' as const, reason: 'erased', address: '', recipient: '', updatedAt: now };
    await this.collection.updateMany(
      { ...ofReceipts, status: 'pending' },
      { $set: ended, $unset: { dueAt: '' } },
      { signal },
    );
    await this.collection.updateMany(
      { ...ofReceipts, address: { $ne: '' } },
      { $set: { address: '', recipient: '' } },
      { signal },
    );
  }
}
