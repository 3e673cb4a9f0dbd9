import { disabledReasons } from '@receipts/contracts';
import type { SerializedEvent } from '@receipts/kernel';
import {
  isDuplicateKey,
  outboxIndex,
  outboxItem,
  updateVersioned,
  type CollectionDeclaration,
  type OutboxItem,
  type OutboxRelay,
  type WithOutbox,
} from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { EndpointRecord } from '../domain/endpoint';

export interface EndpointDocument extends Omit<EndpointRecord, 'id'>, WithOutbox {
  readonly _id: string;
  /** The order of creation: later endpoints have greater values. */
  readonly order: string;
}

export const endpointsDeclaration: CollectionDeclaration = {
  name: 'webhook_endpoints',
  indexes: [
    { name: 'by_order', key: { retailer: 1, order: -1 } },
    { name: 'disabled', key: { disabledReason: 1, updatedAt: -1 } },
    outboxIndex,
  ],
};

export const endpointsMax = 1_000;

const millisecondDigits = 12;

/** Sorts by time, and stays unique within a millisecond. */
export function orderOf(at: Date, id: string): string {
  return at.getTime().toString(16).padStart(millisecondDigits, '0') + id;
}

function recordOf({ _id: id, order: _order, outbox: _outbox, ...record }: EndpointDocument): EndpointRecord {
  return { id, ...record };
}

export class WebhookEndpoints {
  constructor(
    private readonly collection: Collection<EndpointDocument>,
    private readonly relay: Pick<OutboxRelay<EndpointDocument>, 'enqueue'>,
  ) {}

  /** @returns the endpoint with this id: the added endpoint, or an existing endpoint */
  async add(endpoint: EndpointRecord, signal: AbortSignal): Promise<EndpointRecord> {
    const { id, ...record } = endpoint;
    try {
      await this.collection.insertOne(
        { _id: id, ...record, order: orderOf(record.createdAt, id) },
        { signal },
      );
      return endpoint;
    } catch (error) {
      const own = isDuplicateKey(error, '_id_') && (await this.find(record.retailer, id, signal));
      if (own) return own;
      throw error;
    }
  }

  async find(retailer: string, id: string, signal: AbortSignal): Promise<EndpointRecord | undefined> {
    const found = await this.collection.findOne({ _id: id, retailer }, { signal });
    return found ? recordOf(found) : undefined;
  }

  /** Endpoints of any retailer. */
  async ofIds(ids: readonly string[], signal: AbortSignal): Promise<EndpointRecord[]> {
    return (await this.collection.find({ _id: { $in: [...ids] } }, { signal }).toArray()).map(recordOf);
  }

  /** All retailers' endpoints that the platform has disabled, latest first. */
  async disabledByUs(countMax: number, signal: AbortSignal): Promise<EndpointRecord[]> {
    const reasons = disabledReasons.map((disabledReason) =>
      this.collection.find({ disabledReason }, { signal }).sort({ updatedAt: -1 }).limit(countMax).toArray(),
    );
    const found = (await Promise.all(reasons)).flat().map(recordOf);
    return found.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime()).slice(0, countMax);
  }

  /** All endpoints of some retailers, enabled or not. */
  async ofRetailers(retailers: readonly string[], signal: AbortSignal): Promise<EndpointRecord[]> {
    const found = await this.collection.find({ retailer: { $in: [...retailers] } }, { signal }).toArray();
    return found.map(recordOf);
  }

  /** Records that deliveries to these endpoints were created up to a number in the retailer's log. */
  async advance(
    retailer: string,
    ids: readonly string[],
    position: number,
    signal: AbortSignal,
  ): Promise<void> {
    const filter = { _id: { $in: [...ids] }, retailer };
    await this.collection.updateMany(filter, { $max: { readUpTo: position } }, { signal });
  }

  async count(retailer: string, signal: AbortSignal): Promise<number> {
    return this.collection.countDocuments({ retailer }, { signal, limit: endpointsMax });
  }

  /** All retailers that have an endpoint, with the creation time of the first endpoint. */
  async begun(signal: AbortSignal): Promise<Map<string, Date>> {
    const begun = new Map<string, Date>();
    const found = this.collection.find({}, { projection: { retailer: 1, createdAt: 1 }, signal });
    for await (const { retailer, createdAt } of found) {
      const known = begun.get(retailer);
      if (!known || createdAt < known) begun.set(retailer, createdAt);
    }
    return begun;
  }

  /** @param older only return endpoints created before this one */
  async page(
    retailer: string,
    older: EndpointRecord | undefined,
    count: number,
    signal: AbortSignal,
  ): Promise<EndpointRecord[]> {
    const before = older && { order: { $lt: orderOf(older.createdAt, older.id) } };
    const found = this.collection
      .find({ retailer, ...before }, { signal })
      .sort({ order: -1 })
      .limit(count);
    return (await found.toArray()).map(recordOf);
  }

  /**
   * @param decide pure; returns the same object if nothing changes
   * @param eventsOf the events of a change
   * @returns undefined if the retailer has no such endpoint
   */
  async update(
    retailer: string,
    id: string,
    decide: (current: EndpointRecord) => EndpointRecord,
    signal: AbortSignal,
    eventsOf: (next: EndpointRecord) => readonly SerializedEvent[] = () => [],
  ): Promise<EndpointRecord | undefined> {
    let items: readonly OutboxItem[] = [];
    const saved = await updateVersioned<EndpointDocument, EndpointRecord>({
      collection: this.collection,
      retailer,
      id,
      signal: () => signal,
      decide: (document) => {
        const current = recordOf(document);
        const next = decide(current);
        if (next === current) return { result: current };
        // `readUpTo` advances independently of other changes.
        const { id: _id, version: _version, readUpTo: _readUpTo, ...fields } = next;
        const record = { ...next, version: current.version + 1 };
        const outbox = eventsOf(record).map(outboxItem);
        items = outbox.length > 0 ? [...(document.outbox ?? []), ...outbox] : [];
        return { update: { $set: fields }, outbox, result: record };
      },
    });
    if (saved && items.length > 0) this.relay.enqueue([{ _id: id, items }]);
    return saved;
  }

  /** False if the retailer has no such endpoint. */
  async remove(retailer: string, id: string, signal: AbortSignal): Promise<boolean> {
    return (await this.collection.deleteOne({ _id: id, retailer }, { signal })).deletedCount === 1;
  }
}
