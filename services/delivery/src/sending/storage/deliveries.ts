import { createHash } from 'node:crypto';
import type { SerializedEvent } from '@receipts/kernel';
import {
  claimRoundRobin,
  duplicatesIn,
  outboxItem,
  pendingFilter,
  type OutboxItem,
  type ClaimOrder,
} from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { folded } from '../domain/addresses';
import { claimMs } from '../domain/schedule';
import type { Waiting } from '../domain/waiting-groups';
import type { Claim, DeliveryDocument, DeliveryStatus, NewDelivery } from './delivery-document';

const listMax = 100;
const never = new Date(0);
const recipientCharacters = 22;
const idDigits = 24;
const timeDigits = 8;

const recipientOf = (address: string): string =>
  createHash('sha256').update(folded(address)).digest('base64url').slice(0, recipientCharacters);

/** The id of a call's delivery over a channel: the same if the call is executed again. */
export function deliveryIdOf(callId: string, channel: string): string {
  const digest = createHash('sha256').update(`${callId}/${channel}`).digest('hex');
  // The id begins with the time, like all ids.
  return callId.slice(0, timeDigits) + digest.slice(0, idDigits - timeDigits);
}

type DeliveryKeys = Pick<DeliveryDocument, '_id' | 'receiptId'>;

const owned = ({ _id, attempts }: Claim) => ({ _id, attempts, status: 'pending' as const });

export class Deliveries {
  constructor(private readonly collection: Collection<DeliveryDocument>) {}

  /**
   * Saves deliveries together with their events.
   * @returns only the new deliveries, because an event or a call may be handled twice
   */
  async add(
    requests: readonly { readonly document: NewDelivery; readonly event: SerializedEvent }[],
    signal: AbortSignal,
  ): Promise<{ _id: string; items: OutboxItem[] }[]> {
    const added = requests.map(({ document, event }) => ({ document, items: [outboxItem(event)] }));
    const documents = added.map(({ document, items }) => ({
      ...document,
      recipient: recipientOf(document.address),
      outbox: items,
    }));
    const published = added.map(({ document: { _id }, items }) => ({ _id, items }));
    const present = await duplicatesIn(() =>
      this.collection.insertMany(documents, { ordered: false, signal }),
    );
    return published.filter((_, index) => !present.has(index));
  }

  /** Returns the ids of existing deliveries. */
  async existing(retailer: string, ids: readonly string[], signal: AbortSignal): Promise<DeliveryKeys[]> {
    return this.collection
      .find({ _id: { $in: [...ids] }, retailer }, { projection: { receiptId: 1 }, signal })
      .toArray();
  }

  /** Newest first, at most a hundred. */
  async ofReceipt(retailer: string, receiptId: string, signal: AbortSignal): Promise<DeliveryDocument[]> {
    return this.collection
      .find({ retailer, receiptId }, { signal })
      .sort({ requestedAt: -1 })
      .limit(listMax)
      .toArray();
  }

  /** The times of the last deliveries to an address, newest first. */
  async timesTo(
    retailer: string,
    address: string,
    last: { since: Date; countMax: number },
    signal: AbortSignal,
  ): Promise<Date[]> {
    return this.times({ retailer, recipient: recipientOf(address) }, last, signal);
  }

  /** The times of the last deliveries of a receipt, newest first. */
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

  /** The pending deliveries of all retailers, sorted by due time, without addresses. */
  async waiting(countMax: number, signal: AbortSignal): Promise<Waiting[]> {
    const shown = {
      _id: 0,
      retailer: 1,
      channel: 1,
      reason: 1,
      receiptId: 1,
      attempts: 1,
      requestedAt: 1,
      dueAt: 1,
    };
    return this.collection
      .find({ dueAt: { $gt: never } }, { signal })
      .sort({ dueAt: 1 })
      .limit(countMax)
      .project<Waiting>(shown)
      .toArray();
  }

  /** Claims one attempt that is due, so that no other process makes it. */
  async claimDue(order: ClaimOrder, now: Date, signal: AbortSignal): Promise<DeliveryDocument | null> {
    const update = { $set: { dueAt: new Date(now.getTime() + claimMs) }, $inc: { attempts: 1 } };
    return claimRoundRobin(this.collection, order, { now, update, signal });
  }

  /**
   * Records that sending is about to start. If this write times out and is applied after the delivery was postponed, it
   * no longer matches.
   * @returns false if the claim has expired, and another process may have taken over
   */
  async handOver(claim: Claim, now: Date, signal: AbortSignal): Promise<boolean> {
    const { dueAt } = claim;
    if (!dueAt || dueAt <= now) return false;
    const { matchedCount } = await this.collection.updateOne(
      { ...owned(claim), dueAt },
      { $set: { handedOverAt: now } },
      { signal },
    );
    return matchedCount === 1;
  }

  /** Does nothing if the claim has expired and another process has made an attempt. */
  async postpone(claim: Claim, reason: string, dueAt: Date, now: Date, signal: AbortSignal): Promise<void> {
    await this.collection.updateOne(
      owned(claim),
      { $set: { reason, dueAt, updatedAt: now }, $unset: { handedOverAt: '' } },
      { signal },
    );
  }

  /** @returns the whole outbox; undefined if the claim has expired and another process has made an attempt */
  async finish(
    claim: Claim,
    outcome: { status: DeliveryStatus; reason: string | null },
    event: SerializedEvent,
    now: Date,
    signal: AbortSignal,
  ): Promise<readonly OutboxItem[] | undefined> {
    const saved = await this.collection.findOneAndUpdate(
      owned(claim),
      {
        $set: { ...outcome, updatedAt: now },
        $unset: { dueAt: '', handedOverAt: '' },
        $inc: { version: 1 },
        $push: { outbox: outboxItem(event) } as never,
      },
      { projection: { outbox: 1 }, returnDocument: 'after', signal },
    );
    return saved?.outbox;
  }

  async find(id: string, signal: AbortSignal): Promise<DeliveryDocument | null> {
    return this.collection.findOne({ _id: id }, { signal });
  }

  /**
   * Saves a provider's report, regardless of claims.
   * @returns the whole outbox to be published; undefined if the delivery has changed meanwhile
   */
  async reported(
    { _id, version, status, outbox = [] }: DeliveryDocument,
    change: { status: DeliveryStatus; reason: string | null; deliveredAt?: Date },
    event: SerializedEvent | undefined,
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
    if (matchedCount !== 1) return undefined;
    return event ? [...outbox, ...items] : [];
  }

  /** The deliveries of receipts, with their status. */
  async ofReceipts(
    retailer: string,
    receiptIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Pick<DeliveryDocument, '_id' | 'receiptId' | 'status'>[]> {
    return this.collection
      .find(
        { retailer, receiptId: { $in: [...receiptIds] } },
        { projection: { receiptId: 1, status: 1 }, signal },
      )
      .toArray();
  }

  /** The deliveries to a consumer whose erasure is not complete. */
  async toPerson(retailer: string, person: string, signal: AbortSignal): Promise<DeliveryKeys[]> {
    return this.collection.find({ person, retailer }, { projection: { receiptId: 1 }, signal }).toArray();
  }

  /** True while deliveries of these receipts have events that have not been published. */
  async hasUnpublishedEvents(
    retailer: string,
    receiptIds: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const filter = { retailer, receiptId: { $in: [...receiptIds] }, ...pendingFilter };
    const options = { projection: { _id: 1 }, hint: 'by_receipt', signal };
    return (await this.collection.findOne(filter, options)) !== null;
  }

  /** Removes the hash of the consumer, so that `toPerson` no longer returns the deliveries. */
  async forgetPerson(retailer: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    await this.collection.updateMany(
      { _id: { $in: [...ids] }, retailer },
      { $unset: { person: '' } },
      { signal },
    );
  }

  /** Removes the addresses from deliveries, and ends pending deliveries. */
  async eraseAddresses(
    retailer: string,
    ids: readonly string[],
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const ended = { status: 'failed' as const, reason: 'erased', address: '', recipient: '', updatedAt: now };
    await this.collection.updateMany(
      { _id: { $in: [...ids] }, retailer, status: 'pending' },
      { $set: ended, $unset: { dueAt: '' } },
      { signal },
    );
    await this.collection.updateMany(
      { _id: { $in: [...ids] }, retailer, address: { $ne: '' } },
      { $set: { address: '', recipient: '' } },
      { signal },
    );
  }
}
