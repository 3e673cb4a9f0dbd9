import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/**
 * The work queue of one endpoint. Only one process works on it at a time, so that an endpoint does not get many requests
 * at once.
 */
export interface LaneDocument {
  readonly _id: string;
  readonly retailer: string;
  /** When there is work next; absent when there is none. */
  readonly dueAt?: Date;
  /** Until then it belongs to its owner, or is paused because the receiver has asked for it. */
  readonly leaseUntil: Date;
  readonly owner: string;
  /** Incremented with each new piece of work, so that a process that releases the lane notices work added meanwhile. */
  readonly wakes: number;
  /** Since when every attempt has failed. */
  readonly failingSince: Date | null;
}

export const lanesDeclaration: CollectionDeclaration = {
  name: 'webhook_lanes',
  indexes: [
    { name: 'due', key: { dueAt: 1 }, sparse: true },
    { name: 'failing', key: { failingSince: 1 } },
  ],
};

const never = new Date(0);

export class WebhookLanes {
  constructor(private readonly collection: Collection<LaneDocument>) {}

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

  /** Claims the lane that has been waiting longest. */
  async claim(
    owner: string,
    now: Date,
    leaseMs: number,
    which: { readonly failing: boolean },
    signal: AbortSignal,
  ): Promise<LaneDocument | null> {
    return this.collection.findOneAndUpdate(
      { dueAt: { $lte: now }, leaseUntil: { $lte: now }, ...(!which.failing && { failingSince: null }) },
      { $set: { owner, leaseUntil: new Date(now.getTime() + leaseMs) } },
      { sort: { dueAt: 1 }, returnDocument: 'after', signal },
    );
  }

  async find(id: string, signal: AbortSignal): Promise<LaneDocument | null> {
    return this.collection.findOne({ _id: id }, { signal });
  }

  async failingOf(ids: readonly string[], signal: AbortSignal): Promise<Map<string, Date>> {
    const found = await this.collection
      .find({ _id: { $in: [...ids] }, failingSince: { $ne: null } }, { signal })
      .toArray();
    return new Map(found.map(({ _id, failingSince }) => [_id, failingSince as Date]));
  }

  /** The lanes of all retailers whose attempts are all failing, the longest failing first. */
  async failing(countMax: number, signal: AbortSignal): Promise<LaneDocument[]> {
    return this.collection
      .find({ failingSince: { $gt: never } }, { signal })
      .sort({ failingSince: 1 })
      .limit(countMax)
      .toArray();
  }

  /** @returns since when it has been failing, including this failure */
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
   * Releases a lane. False when work was added since `wakes` was read, or when the lane belongs to another process.
   * @param next when it has work again
   * @param holdUntil no work is done before
   */
  async release(
    { _id, owner, wakes }: Pick<LaneDocument, '_id' | 'owner' | 'wakes'>,
    next: Date | undefined,
    holdUntil: Date | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { matchedCount } = await this.collection.updateOne(
      { _id, owner, wakes },
      {
        $set: { owner: '', leaseUntil: holdUntil ?? never, ...(next && { dueAt: next }) },
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
