import type { Collection, Filter } from 'mongodb';
import { newId } from '@receipts/kernel';
import {
  duplicatesIn,
  outboxItem,
  pendingFilter,
  type OutboxRelay,
  type RebuildMarker,
} from '@receipts/storage';
import { erasedOwnerOf } from '../domain/erasure';
import { rewardEvent, type RewardCause, type RewardChoice, type RewardRecord } from '../domain/reward';
import { rewardIndexes, type NumbersDocument, type RewardDocument } from './reward-document';

/** A reward without a number, and the receipt event that caused it. */
export interface NewReward {
  readonly record: Omit<RewardRecord, 'number'>;
  readonly cause: RewardCause;
}

const eraseBatchMax = 500;

const projection = { outbox: 0 } as const;

/** A record in the same collection and unique index that does not belong to a consumer. */
const markerOf = (retailer: string) => ({ retailer: '', programme: 0, identifier: retailer, threshold: 0 });

export class Rewards {
  constructor(
    private readonly collection: Collection<RewardDocument>,
    private readonly numbers: Collection<NumbersDocument>,
    private readonly relay: Pick<OutboxRelay<RewardDocument>, 'enqueue'>,
  ) {}

  /**
   * The highest rewarded threshold of a programme for each of these consumers, whose totals have reached `threshold`.
   * Rewards above it may be ignored.
   */
  async highestRewarded(
    retailer: string,
    { programme, threshold }: Pick<RewardRecord, 'programme' | 'threshold'>,
    identifiers: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const highest = new Map<string, number>();
    // Most consumers already have the reward for this threshold or the previous one, so one query usually suffices.
    if (identifiers.length > 1 || threshold === 1) {
      const near = { programme, threshold: { $in: [threshold - 1, threshold] } };
      const options = {
        projection: { identifier: 1, threshold: 1 },
        hint: rewardIndexes.consumer.name,
        signal,
      };
      const filter = { retailer, identifier: { $in: [...identifiers] }, ...near };
      for (const found of await this.collection.find(filter, options).toArray())
        highest.set(found.identifier, Math.max(found.threshold, highest.get(found.identifier) ?? 0));
    }
    // Sequentially, because there may be more consumers than the database has connections.
    for (const identifier of identifiers.filter((one) => !highest.has(one))) {
      const options = { sort: { threshold: -1 }, projection: { threshold: 1 }, signal } as const;
      const filter = { retailer, identifier, programme };
      const found = threshold === 1 ? null : await this.collection.findOne(filter, options);
      highest.set(identifier, found?.threshold ?? 0);
    }
    return highest;
  }

  /**
   * Saves rewards for thresholds that have none yet, with their events. Numbers allocated for rewards that already
   * exist are not reused and leave a gap.
   */
  async issue(retailer: string, rewards: readonly NewReward[], signal: AbortSignal): Promise<void> {
    if (rewards.length === 0) return;
    const first = await this.allot(retailer, rewards.length, signal);
    const documents = rewards.map(({ record, cause }, n) => {
      const numbered = { ...record, number: first + n };
      const event = rewardEvent(numbered, cause, newId(numbered.issuedAt.getTime()));
      return { _id: newId(), retailer, ...numbered, outbox: [outboxItem(event)] };
    });
    const present = await duplicatesIn(() =>
      this.collection.insertMany(documents, { ordered: false, signal }),
    );
    const issued = documents.filter((_, index) => !present.has(index));
    this.relay.enqueue(issued.map(({ _id, outbox }) => ({ _id, items: outbox })));
  }

  /** Allocates a range of numbers and returns the first. */
  private async allot(retailer: string, count: number, signal: AbortSignal): Promise<number> {
    const counter = await this.numbers.findOneAndUpdate(
      { _id: retailer },
      { $inc: { last: count } },
      { upsert: true, returnDocument: 'after', signal },
    );
    if (!counter) throw new Error('the reward counter returned no number');
    return counter.last - count + 1;
  }

  /** Shows that the collection has not been replaced since the rewards of a retailer's receipts were written to it. */
  readonly rebuildMarker: RebuildMarker = {
    isThere: async (retailer) => (await this.collection.findOne({ _id: `cursor|${retailer}` })) !== null,
    put: async (retailer) => {
      const filter = { _id: `cursor|${retailer}` };
      await this.collection.updateOne(filter, { $set: markerOf(retailer) }, { upsert: true });
    },
  };

  /** Newest first. */
  list(
    retailer: string,
    programme: number,
    { consumers, from, to, claimed, after }: RewardChoice,
    countMax: number,
    signal: AbortSignal,
  ): Promise<RewardRecord[]> {
    const until = after && (!to || after.issuedAt < to) ? after.issuedAt : to;
    const time = { ...(from && { $gte: from }), ...(until && { $lte: until }) };
    const filter: Filter<RewardDocument> = {
      retailer,
      programme,
      ...(consumers && { identifier: { $in: [...consumers] } }),
      ...((from ?? until) && { issuedAt: time }),
      ...(claimed !== undefined && { claimed }),
      ...(after && { $or: [{ issuedAt: { $lt: after.issuedAt } }, { number: { $lt: after.number } }] }),
    };
    const options = {
      sort: { issuedAt: -1, number: -1 },
      limit: countMax,
      projection,
    } as const;
    return this.collection
      .find(filter, {
        ...options,
        hint: consumers ? rewardIndexes.consumer.name : rewardIndexes.time.name,
        signal,
      })
      .toArray();
  }

  /** The rewards of all programmes, by number. @param after the number of the last reward on the previous page */
  ofConsumer(
    retailer: string,
    identifier: string,
    after: number,
    countMax: number,
    signal: AbortSignal,
  ): Promise<RewardRecord[]> {
    const filter = { retailer, identifier, number: { $gt: after } };
    const sort = { number: 1 } as const;
    const options = {
      sort,
      limit: countMax,
      projection,
      hint: rewardIndexes.consumer.name,
      signal,
    } as const;
    return this.collection.find(filter, options).toArray();
  }

  /** True while a consumer's rewards have events that have not been published. */
  async hasUnpublishedEvents(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    const filter = { retailer, identifier, ...pendingFilter } as Filter<RewardDocument>;
    return (await this.collection.findOne(filter, { projection: { _id: 1 }, signal })) !== null;
  }

  /** Removes the consumer from some of their rewards. @returns false if there are no more */
  async eraseSome(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    const filter = { retailer, identifier };
    const found = await this.collection
      .find(filter, { projection: { _id: 1 }, limit: eraseBatchMax, signal })
      .toArray();
    if (found.length === 0) return false;
    const operations = found.map(({ _id }) => ({
      updateOne: { filter: { _id, ...filter }, update: { $set: { identifier: erasedOwnerOf(_id) } } },
    }));
    await this.collection.bulkWrite(operations, { ordered: false, signal });
    return true;
  }
}
