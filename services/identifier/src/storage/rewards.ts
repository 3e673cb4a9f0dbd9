import { newId, ServiceError, unavailable } from '@receipts/kernel';
import {
  withStorageErrors,
  insertDocuments,
  insertError,
  isDuplicateKey,
  type InsertFailure,
  type RebuildMarker,
} from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { erasedOwnerOf } from '../domain/erasure';
import type { RewardChoice, RewardRecord } from '../domain/reward';
import {
  rewardIndexes,
  type NumbersDocument,
  type RewardDocument,
  type RewardOrigin,
} from './reward-document';
import type { RewardEvents } from './reward-events';

/** A reward without a number. */
export type NewReward = Omit<RewardRecord, 'number'> & { readonly origin: RewardOrigin };

type Numbered = NewReward & { readonly number: number };

const eraseBatchMax = 500;
const issuedAtOnce = 1_000;
/** The maximum of inserts in a row of which nothing was stored, because other processes were faster. */
const lossesMax = 20;

const projection = { origin: 0, seq: 0 } as const;

/** A record in the same collection, under the same unique index, that belongs to no consumer. */
const markerOf = (retailer: string) => ({ retailer: '', programme: 0, identifier: retailer, threshold: 0 });

export class Rewards {
  /** The last known place of each retailer. Other processes may be further. */
  private readonly last = new Map<string, number>();

  constructor(
    private readonly collection: Collection<RewardDocument>,
    private readonly numbers: Collection<NumbersDocument>,
    private readonly events: Pick<RewardEvents, 'lastNumber' | 'hasUnpublishedEvents' | 'relay'>,
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

  /**
   * Saves the rewards whose threshold has none yet. One ordered insert stops at the first that a unique index refuses, so
   * a place exists only if the one before it does, whichever process writes or crashes. Numbers of rewards that exist
   * already are not used again and leave a gap.
   */
  async issue(retailer: string, rewards: readonly NewReward[], signal: AbortSignal): Promise<void> {
    if (rewards.length === 0) return;
    const first = await this.allot(retailer, rewards.length, signal);
    let left: readonly Numbered[] = rewards.map((reward, n) => ({ ...reward, number: first + n }));
    for (let losses = 0; left.length > 0;) {
      if (losses >= lossesMax) throw new ServiceError(unavailable, { internal: 'others were always faster' });
      const { stored, rest } = await this.insertSome(retailer, left, signal);
      losses = stored > 0 ? 0 : losses + 1;
      left = rest;
    }
  }

  /** Allots a range of numbers and returns the first. */
  private async allot(retailer: string, count: number, signal: AbortSignal): Promise<number> {
    const counter = await this.numbers.findOneAndUpdate(
      { _id: retailer },
      { $inc: { last: count } },
      { upsert: true, returnDocument: 'after', signal },
    );
    if (!counter) throw new Error('the counter of rewards gave no number');
    return counter.last - count + 1;
  }

  private async insertSome(
    retailer: string,
    rewards: readonly Numbered[],
    signal: AbortSignal,
  ): Promise<{ readonly stored: number; readonly rest: readonly Numbered[] }> {
    const last = this.last.get(retailer) ?? (await this.events.lastNumber(retailer));
    const documents = rewards
      .slice(0, issuedAtOnce)
      .map((reward, n): RewardDocument => ({ _id: newId(), retailer, seq: last + 1 + n, ...reward }));
    // Unknown until the outcome of the insert is.
    this.last.delete(retailer);
    const refusal = await this.insert(documents, signal);
    const stored = refusal?.index ?? documents.length;
    this.events.relay.enqueue(documents.slice(0, stored));
    const rest = rewards.slice(stored);
    if (refusal && isDuplicateKey(refusal, rewardIndexes.order.name)) return { stored, rest };
    this.last.set(retailer, last + stored);
    return { stored, rest: refusal ? await this.withoutIssued(retailer, rest, signal) : rest };
  }

  /** @returns the first reward that exists already; undefined when all are stored */
  private async insert(
    documents: readonly RewardDocument[],
    signal: AbortSignal,
  ): Promise<InsertFailure | undefined> {
    const options = { ordered: true, signal } as const;
    const [refusal] = await insertDocuments<RewardDocument>(this.collection, documents, options);
    if (refusal && !isDuplicateKey(refusal)) throw insertError(refusal);
    return refusal;
  }

  /** Another process has issued rewards to the consumer of the first of these. */
  private async withoutIssued(
    retailer: string,
    rewards: readonly Numbered[],
    signal: AbortSignal,
  ): Promise<readonly Numbered[]> {
    const [first] = rewards;
    if (!first) return rewards;
    const { programme, identifier, threshold } = first;
    const highest = Math.max(threshold, await this.highest(retailer, programme, identifier, signal));
    return rewards.filter(
      (one) => one.programme !== programme || one.identifier !== identifier || one.threshold > highest,
    );
  }

  /** Shows that the collection has not been replaced since the rewards of a retailer's receipts were written to it. */
  readonly rebuildMarker: RebuildMarker = {
    isThere: async (retailer) => (await this.collection.findOne({ _id: `cursor|${retailer}` })) !== null,
    put: async (retailer) => {
      const filter = { _id: `cursor|${retailer}` };
      await this.collection.updateOne(filter, { $set: markerOf(retailer) }, { upsert: true });
    },
  };

  /** The newest first. */
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
    return withStorageErrors(() =>
      this.collection
        .find(filter, {
          ...options,
          hint: consumers ? rewardIndexes.threshold.name : rewardIndexes.time.name,
          signal,
        })
        .toArray(),
    );
  }

  /** Those of all programmes, by number. @param after the number of the last one before */
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
      hint: rewardIndexes.identifier.name,
      signal,
    } as const;
    return withStorageErrors(() => this.collection.find(filter, options).toArray());
  }

  /** True while a consumer's rewards have events that have not been published. */
  hasUnpublishedEvents(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    return this.events.hasUnpublishedEvents(retailer, identifier, signal);
  }

  /** Removes the consumer from some of their rewards. @returns false when there are no more */
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
