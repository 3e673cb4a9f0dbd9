import { newId } from '@receipts/kernel';
import {
  guarded,
  isDuplicateKey,
  outboxIndex,
  pendingFilter,
  writeErrorsByIndex,
  type CollectionDeclaration,
  type OutboxItem,
  type Witness,
} from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { nobodyOf } from '../domain/erasure';
import type { RewardChoice, RewardRecord } from '../domain/reward';

export interface RewardDocument extends RewardRecord {
  readonly _id: string;
  readonly retailer: string;
  readonly outbox: readonly OutboxItem[];
}

export interface NumbersDocument {
  /** The retailer's id. */
  readonly _id: string;
  readonly last: number;
}

export const rewardsDeclaration: CollectionDeclaration = {
  name: 'rewards',
  indexes: [
    {
      // A threshold is rewarded once, even if several processes find it reached.
      name: 'by_threshold',
      key: { retailer: 1, programme: 1, identifier: 1, threshold: 1 },
      unique: true,
    },
    { name: 'by_time', key: { retailer: 1, programme: 1, issuedAt: -1, number: -1 } },
    { name: 'by_identifier', key: { retailer: 1, identifier: 1 } },
    outboxIndex,
  ],
};

export const rewardNumbersDeclaration: CollectionDeclaration = { name: 'reward_numbers', indexes: [] };

const forgottenAtOnce = 500;

/** A record in the same collection, under the same unique index, that belongs to no consumer. */
const witnessOf = (retailer: string) => ({ retailer: '', programme: 0, identifier: retailer, threshold: 0 });

export class Rewards {
  constructor(
    private readonly collection: Collection<RewardDocument>,
    private readonly numbers: Collection<NumbersDocument>,
  ) {}

  /** The highest threshold of a programme for which a consumer has a reward; 0 when there is none. */
  async highest(
    retailer: string,
    programme: number,
    identifier: string,
    signal: AbortSignal,
  ): Promise<number> {
    const found = await this.collection.findOne(
      { retailer, programme, identifier },
      { sort: { threshold: -1 }, projection: { threshold: 1 }, signal },
    );
    return found?.threshold ?? 0;
  }

  /** Allots a range of numbers and returns the first. Numbers that are not used leave a gap. */
  async allot(retailer: string, count: number, signal: AbortSignal): Promise<number> {
    const counter = await this.numbers.findOneAndUpdate(
      { _id: retailer },
      { $inc: { last: count } },
      { upsert: true, returnDocument: 'after', signal },
    );
    if (!counter) throw new Error('the counter of rewards gave no number');
    return counter.last - count + 1;
  }

  /** Saves the rewards whose threshold has none yet, and returns them. */
  async issue(
    retailer: string,
    entries: readonly { readonly record: RewardRecord; readonly outbox: readonly OutboxItem[] }[],
    signal: AbortSignal,
  ): Promise<readonly RewardDocument[]> {
    const documents = entries.map(({ record, outbox }) => ({ _id: newId(), retailer, ...record, outbox }));
    try {
      await this.collection.insertMany(documents, { ordered: false, signal });
      return documents;
    } catch (error) {
      const failures = writeErrorsByIndex(error);
      if (!failures || ![...failures.values()].every((failure) => isDuplicateKey(failure))) throw error;
      return documents.filter((_document, n) => !failures.has(n));
    }
  }

  /** Shows that the collection has not been replaced since the rewards of a retailer's receipts were written to it. */
  readonly witness: Witness = {
    isThere: async (retailer) => (await this.collection.findOne({ _id: `place|${retailer}` })) !== null,
    put: async (retailer) => {
      const filter = { _id: `place|${retailer}` };
      await this.collection.updateOne(filter, { $set: witnessOf(retailer) }, { upsert: true });
    },
  };

  /** The newest first. */
  list(
    retailer: string,
    programme: number,
    { consumers, from, to, claimed }: RewardChoice,
    countMax: number,
    signal: AbortSignal,
  ): Promise<RewardRecord[]> {
    const time = { ...(from && { $gte: from }), ...(to && { $lte: to }) };
    const filter: Filter<RewardDocument> = {
      retailer,
      programme,
      ...(consumers && { identifier: { $in: [...consumers] } }),
      ...((from ?? to) && { issuedAt: time }),
      ...(claimed !== undefined && { claimed }),
    };
    const options = {
      sort: { issuedAt: -1, number: -1 },
      limit: countMax,
      projection: { outbox: 0 },
    } as const;
    return guarded(() =>
      this.collection
        .find(filter, { ...options, hint: consumers ? 'by_threshold' : 'by_time', signal })
        .toArray(),
    );
  }

  /** Those of all programmes. */
  ofConsumer(
    retailer: string,
    identifier: string,
    countMax: number,
    signal: AbortSignal,
  ): Promise<RewardRecord[]> {
    const options = { limit: countMax, projection: { outbox: 0 }, hint: 'by_identifier', signal } as const;
    return guarded(() => this.collection.find({ retailer, identifier }, options).toArray());
  }

  /** True while a consumer's rewards have events that have not been published. */
  async isTelling(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    const filter = { retailer, identifier, ...pendingFilter } as Filter<RewardDocument>;
    const options = { projection: { _id: 1 }, hint: 'by_identifier', signal } as const;
    return (await this.collection.findOne(filter, options)) !== null;
  }

  /** Removes the consumer from some of their rewards. @returns false when there are no more */
  async forgetSome(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    const filter = { retailer, identifier };
    const found = await this.collection
      .find(filter, { projection: { _id: 1 }, limit: forgottenAtOnce, signal })
      .toArray();
    if (found.length === 0) return false;
    const operations = found.map(({ _id }) => ({
      updateOne: { filter: { _id, ...filter }, update: { $set: { identifier: nobodyOf(_id) } } },
    }));
    await this.collection.bulkWrite(operations, { ordered: false, signal });
    return true;
  }
}
