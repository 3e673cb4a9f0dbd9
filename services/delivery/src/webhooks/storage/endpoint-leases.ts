import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/**
 * Records which process serves an endpoint, and when it has work. Only one process serves an endpoint at a time, so
 * that the endpoint does not get many requests at once.
 */
export interface EndpointLeaseDocument {
  readonly _id: string;
  readonly retailer: string;
  /** When the next work is due; absent if there is none. */
  readonly dueAt?: Date;
  /** The time until which the endpoint belongs to its owner, or is paused at the receiver's request. */
  readonly leaseUntil: Date;
  readonly owner: string;
  /** Incremented with each new piece of work, so that a process that releases the lease notices work added meanwhile. */
  readonly wakes: number;
  /** The time since which every attempt has failed. */
  readonly failingSince: Date | null;
}

export const endpointLeasesDeclaration: CollectionDeclaration = {
  name: 'endpoint_leases',
  indexes: [
    { name: 'due', key: { dueAt: 1 }, sparse: true },
    { name: 'failing', key: { failingSince: 1 } },
  ],
};

/**
 * A lease is renewed every two seconds. If its process crashes, another process takes over after this time. The clocks
 * of the processes may differ by a fraction of this time.
 */
export const leaseMs = 8_000;

const never = new Date(0);

export class EndpointLeases {
  constructor(private readonly collection: Collection<EndpointLeaseDocument>) {}

  /** Records that endpoints have work. */
  async wake(
    endpoints: readonly { readonly id: string; readonly retailer: string }[],
    at: Date,
    signal: AbortSignal,
  ): Promise<void> {
    if (endpoints.length === 0) return;
    const operations = endpoints.map(({ id, retailer }) => ({
      updateOne: {
        filter: { _id: id },
        update: {
          $min: { dueAt: at },
          $inc: { wakes: 1 },
          $setOnInsert: { retailer, leaseUntil: never, owner: '', failingSince: null },
        },
        upsert: true,
      },
    }));
    await this.collection.bulkWrite(operations, { ordered: false, signal });
  }

  /**
   * Acquires the lease of the endpoint whose work has been due longest.
   * @param which `except` are endpoints
   * @returns the previous lease: an owner that did not release it has crashed
   */
  async acquire(
    owner: string,
    now: Date,
    which: {
      readonly failing: boolean;
      readonly except: readonly string[];
      readonly exceptRetailers: readonly string[];
    },
    signal: AbortSignal,
  ): Promise<EndpointLeaseDocument | null> {
    return this.collection.findOneAndUpdate(
      {
        dueAt: { $lte: now },
        leaseUntil: { $lte: now },
        _id: { $nin: [...which.except] },
        ...(which.exceptRetailers.length > 0 && { retailer: { $nin: [...which.exceptRetailers] } }),
        ...(!which.failing && { failingSince: null }),
      },
      { $set: { owner, leaseUntil: new Date(now.getTime() + leaseMs) } },
      { sort: { dueAt: 1 }, returnDocument: 'before', signal },
    );
  }

  /** @returns the endpoints whose leases still belong to the owner */
  async renew(
    owner: string,
    ids: readonly string[],
    until: Date,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const own = { _id: { $in: [...ids] }, owner };
    const { matchedCount } = await this.collection.updateMany(
      own,
      { $max: { leaseUntil: until } },
      { signal },
    );
    if (matchedCount === ids.length) return new Set(ids);
    const kept = await this.collection.find(own, { projection: { _id: 1 }, signal }).toArray();
    return new Set(kept.map(({ _id }) => _id));
  }

  async find(id: string, signal: AbortSignal): Promise<EndpointLeaseDocument | null> {
    return this.collection.findOne({ _id: id }, { signal });
  }

  async failingOf(ids: readonly string[], signal: AbortSignal): Promise<Map<string, Date>> {
    const found = await this.collection
      .find({ _id: { $in: [...ids] }, failingSince: { $ne: null } }, { signal })
      .toArray();
    return new Map(found.map(({ _id, failingSince }) => [_id, failingSince as Date]));
  }

  /** All retailers' endpoints whose attempts are all failing, longest-failing first. */
  async failing(countMax: number, signal: AbortSignal): Promise<EndpointLeaseDocument[]> {
    return this.collection
      .find({ failingSince: { $gt: never } }, { signal })
      .sort({ failingSince: 1 })
      .limit(countMax)
      .toArray();
  }

  /** @returns the time since which the endpoint has been failing, including this failure */
  async failed(id: string, now: Date, signal: AbortSignal): Promise<Date> {
    await this.collection.updateOne(
      { _id: id, failingSince: null },
      { $set: { failingSince: now } },
      { signal },
    );
    return (await this.find(id, signal))?.failingSince ?? now;
  }

  async recovered(id: string, signal: AbortSignal): Promise<void> {
    await this.collection.updateOne({ _id: id }, { $set: { failingSince: null } }, { signal });
  }

  /**
   * Releases a lease. False if work was added since `wakes` was read, or if the lease belongs to another process.
   * @param next when the next work is due
   * @param pausedUntil no work is done before this time
   */
  async release(
    { _id, owner, wakes }: Pick<EndpointLeaseDocument, '_id' | 'owner' | 'wakes'>,
    next: Date | undefined,
    pausedUntil: Date | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { matchedCount } = await this.collection.updateOne(
      { _id, owner, wakes },
      {
        $set: { owner: '', leaseUntil: pausedUntil ?? never, ...(next && { dueAt: next }) },
        ...(!next && { $unset: { dueAt: '' } }),
      },
      { signal },
    );
    return matchedCount === 1;
  }

  async remove(id: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: id }, { signal });
  }
}
