import { createHash } from 'node:crypto';
import type { SerializedEvent } from '@receipts/kernel';
import {
  claimRoundRobin,
  duplicatesIn,
  outboxItem,
  pendingFilter,
  type ClaimOrder,
  type OutboxRelay,
} from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { addressHash } from '../domain/addresses';
import { claimMs } from '../domain/schedule';
import type { Waiting } from '../domain/waiting-groups';
import type { Claim, DeliveryDocument, DeliveryStatus, NewDelivery } from './delivery-document';

const listMax = 100;
const never = new Date(0);
const idDigits = 24;
const timeDigits = 8;

/** The id of a call's delivery over a channel: the same if the call is executed again. */
export function deliveryIdOf(callId: string, channel: string): string {
  const digest = createHash('sha256').update(`${callId}/${channel}`).digest('hex');
  // The id begins with the time, like all ids.
  return callId.slice(0, timeDigits) + digest.slice(0, idDigits - timeDigits);
}

type FoundDelivery = Pick<DeliveryDocument, '_id' | 'receiptId' | 'status'>;

const owned = ({ _id, attempts }: Claim) => ({ _id, attempts, status: 'pending' as const });

export class Deliveries {
  constructor(
    private readonly collection: Collection<DeliveryDocument>,
    private readonly relay: Pick<OutboxRelay<DeliveryDocument>, 'enqueue'>,
  ) {}

  /**
   * Saves deliveries together with their events.
   * @returns the number of new deliveries, because an event or a call may be handled twice
   */
  async add(
    requests: readonly { readonly document: NewDelivery; readonly event: SerializedEvent }[],
    signal: AbortSignal,
  ): Promise<number> {
    const added = requests.map(({ document, event }) => ({ document, items: [outboxItem(event)] }));
    const documents = added.map(({ document, items }) => ({
      ...document,
      recipient: addressHash(document.address),
      outbox: items,
    }));
    const published = added.map(({ document: { _id }, items }) => ({ _id, items }));
    const present = await duplicatesIn(() =>
      this.collection.insertMany(documents, { ordered: false, signal }),
    );
    const entries = published.filter((_, index) => !present.has(index));
    this.relay.enqueue(entries);
    return entries.length;
  }

  /** Returns the ids of existing deliveries. */
  existing(retailer: string, ids: readonly string[], signal: AbortSignal): Promise<FoundDelivery[]> {
    return this.found({ _id: { $in: [...ids] }, retailer }, signal);
  }

  private found(filter: Filter<DeliveryDocument>, signal: AbortSignal): Promise<FoundDelivery[]> {
    return this.collection.find(filter, { projection: { receiptId: 1, status: 1 }, signal }).toArray();
  }

  /** Newest first, at most a hundred. */
  async ofReceipt(retailer: string, receiptId: string, signal: AbortSignal): Promise<DeliveryDocument[]> {
    return this.collection
      .find({ retailer, receiptId }, { signal })
      .sort({ requestedAt: -1 })
      .limit(listMax)
      .toArray();
  }

  /** The deliveries of receipts that were not suppressed, with their status. */
  attempted(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<FoundDelivery[]> {
    const filter = { retailer, receiptId: { $in: [...receiptIds] }, status: { $ne: 'suppressed' as const } };
    return this.found(filter, signal);
  }

  /** The times of the last deliveries of a receipt or to an address, newest first. */
  async times(
    retailer: string,
    whose: { readonly receiptId: string } | { readonly address: string },
    { since, countMax }: { since: Date; countMax: number },
    signal: AbortSignal,
  ): Promise<Date[]> {
    const which = 'address' in whose ? { recipient: addressHash(whose.address) } : whose;
    const found = await this.collection
      .find({ retailer, ...which, requestedAt: { $gt: since }, status: { $ne: 'suppressed' } }, { signal })
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

  /** @returns false if the claim has expired and another process has made an attempt; then nothing has changed */
  async finish(
    claim: Claim,
    outcome: { status: DeliveryStatus; reason: string | null },
    event: SerializedEvent,
    now: Date,
    signal: AbortSignal,
  ): Promise<boolean> {
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
    if (saved?.outbox) this.relay.enqueue([{ _id: claim._id, items: saved.outbox }]);
    return saved !== null;
  }

  async find(id: string, signal: AbortSignal): Promise<DeliveryDocument | null> {
    return this.collection.findOne({ _id: id }, { signal });
  }

  /**
   * Saves a provider's report, regardless of claims.
   * @returns false if the delivery has changed meanwhile
   */
  async reported(
    { _id, version, status, outbox = [] }: DeliveryDocument,
    change: { status: DeliveryStatus; reason: string | null; deliveredAt?: Date },
    event: SerializedEvent | undefined,
    now: Date,
    signal: AbortSignal,
  ): Promise<boolean> {
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
    if (matchedCount !== 1) return false;
    if (event) this.relay.enqueue([{ _id, items: [...outbox, ...items] }]);
    return true;
  }

  /** The deliveries of receipts, with their status. */
  ofReceipts(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<FoundDelivery[]> {
    return this.found({ retailer, receiptId: { $in: [...receiptIds] } }, signal);
  }

  /** The deliveries to a consumer whose erasure is not complete. */
  toPerson(retailer: string, person: string, signal: AbortSignal): Promise<FoundDelivery[]> {
    return this.found({ person, retailer }, signal);
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

  /** Makes the pending deliveries of a deleted receipt due once no attempt can be in progress, so that they end. */
  async expedite(
    retailer: string,
    receiptIds: readonly string[],
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const filter = { retailer, receiptId: { $in: [...receiptIds] }, status: 'pending' as const };
    await this.collection.updateMany(
      filter,
      { $min: { dueAt: new Date(now.getTime() + claimMs) } },
      { signal },
    );
  }

  /** Removes the deliveries of receipts that have ended. */
  async removeEnded(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<void> {
    const filter = { retailer, receiptId: { $in: [...receiptIds] }, status: { $ne: 'pending' as const } };
    await this.collection.deleteMany(filter, { signal });
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
