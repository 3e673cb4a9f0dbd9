import type { Collection } from 'mongodb';
import { PeriodicTask } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import { majorityRead, type Lease } from '@receipts/storage';
import type { Totals } from './totals';
import type { TotalsBuckets } from './totals-buckets';
import {
  totalsIndexes,
  type ProgressDocument,
  type TotalsDocument,
  type TotalsProgress,
} from './totals-documents';

export interface TotalsRebuildDependencies {
  readonly collection: Collection<TotalsDocument>;
  readonly buckets: TotalsBuckets;
  readonly totals: Totals;
  /** Only one process rebuilds at a time. */
  readonly lease: Lease;
  readonly log: Log;
}

const everyMs = 2_000;
const retailersAtOnce = 20;
const failure = 'could not rebuild totals';
/** The lease is renewed after this time; the work done so far is kept. */
const stepMs = 5_000;
const soon = () => ({ deadline: Date.now() + stepMs });

/**
 * Rebuilds the totals in a new generation of buckets, while the current generation is read and kept up to date. The
 * progress of the new generation is stored with the current generation, so any process can continue after a crash.
 */
export class TotalsRebuild {
  readonly task: PeriodicTask;

  constructor(private readonly deps: TotalsRebuildDependencies) {
    this.task = new PeriodicTask({ everyMs, run: (signal) => this.run(signal), log: deps.log, failure });
  }

  /**
   * Starts to rebuild the totals of all retailers. A rebuild in progress is restarted.
   * @param generation the name of the new generation; an existing generation is not rebuilt
   */
  async request(generation: string): Promise<void> {
    const rebuild = { generation, upTo: 0, changesUpTo: 0 };
    await this.deps.collection.updateMany(
      { progress: true, generation: { $ne: generation } },
      { $set: { rebuild, unfinished: true } as object },
    );
  }

  /** Runs until there are no more rebuilds. A retailer whose rebuild fails is left to the next run. */
  private async run(stopping: AbortSignal): Promise<void> {
    const { collection, lease, log } = this.deps;
    const failed: string[] = [];
    let isHeld = false;
    while (!stopping.aborted) {
      const unfinished = await collection
        .find<ProgressDocument>(
          { unfinished: true, _id: { $nin: failed } },
          { limit: retailersAtOnce, hint: totalsIndexes.unfinished.name, ...majorityRead() },
        )
        .toArray();
      if (unfinished.length === 0) break;
      for (const { _id } of unfinished) {
        isHeld = !stopping.aborted && (await lease.acquire());
        if (!isHeld) return;
        try {
          await this.step(_id);
        } catch (error) {
          log.warn(failure, { retailer: _id, error });
          failed.push(_id);
        }
      }
    }
    if (isHeld) await lease.release();
  }

  /** Rebuilds for a while, and replaces the current generation once the new generation is complete. */
  private async step(retailer: string): Promise<void> {
    const { totals, collection, log } = this.deps;
    const { generation, rebuild } = await totals.progress(retailer, soon());
    if (!rebuild) {
      await this.cleanUp(retailer);
      return;
    }
    const built = await this.build(retailer);
    if (built?.generation !== rebuild.generation) return;
    const replaced = await collection.updateOne(
      { _id: retailer, generation, 'rebuild.generation': built.generation },
      { $set: { ...built } as object, $unset: { rebuild: '' } },
    );
    if (replaced.matchedCount === 1) log.info('rebuilt the totals of a retailer', { retailer });
  }

  /** The complete new generation; undefined if there was not enough time. */
  private async build(retailer: string): Promise<TotalsProgress | undefined> {
    const timeLimit = soon();
    try {
      return (await this.deps.totals.advance(retailer, 'rebuild', timeLimit)).rebuild;
    } catch (error) {
      if (Date.now() < timeLimit.deadline) throw error;
      return undefined;
    }
  }

  /** Deletes the buckets of replaced generations. */
  private async cleanUp(retailer: string): Promise<void> {
    const { totals, collection, buckets } = this.deps;
    const { generation, rebuild } = await totals.progress(retailer, soon());
    await buckets.keepOnly(retailer, [generation, ...(rebuild ? [rebuild.generation] : [])]);
    await collection.updateOne(
      { _id: retailer, generation, rebuild: { $exists: false } },
      { $unset: { unfinished: '' } as Record<string, ''> },
    );
  }
}
