import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { pause } from '@receipts/concurrency';
import { newId, retrySoon, unavailable, type TimeLimit } from '@receipts/kernel';
import { deadlineSignal, majorityRead } from '@receipts/storage';
import type { BucketSums } from '../domain/bucket-sums';
import type { KnownTill } from '../domain/till';
import type { Receipts } from '../../storage/receipts';
import type { Sales } from './sales';
import { TotalsConflict, type BucketFilter, type OpenBucket, type TotalsBuckets } from './totals-buckets';
import type { TotalsChanges } from './totals-changes';
import type { ProgressDocument, TotalsDocument, TotalsProgress } from './totals-documents';
import { addSides, progressAfter, sidesOf, type Page, type TotalsTarget } from './totals-page';
import type { TotalsTills } from './totals-tills';

export interface TotalsDependencies {
  readonly collection: Collection<TotalsDocument>;
  readonly buckets: TotalsBuckets;
  readonly tills: TotalsTills;
  readonly changes: TotalsChanges;
  readonly sales: Sales;
  readonly receipts: Pick<Receipts, 'lastNumber'>;
}

type Goal = Pick<TotalsProgress, 'upTo' | 'changesUpTo'>;

const changesAtOnce = 500;
const conflictPauseMaxMs = 50;

const targetOf = (document: ProgressDocument, target: TotalsTarget): TotalsProgress | undefined =>
  target === 'present' ? document : document.rebuild;

/**
 * The totals of receipts, kept as sums of buckets (ADR 9). They have two sources, both numbered without gaps: each
 * receipt's contribution on arrival, by arrival number, and its later changes, by separate numbers. A bucket
 * records the last number of each source that it includes, and is written by compare-and-set, so each number counts
 * once, no matter how often it is processed.
 */
export class Totals {
  private readonly running = new Map<
    string,
    { current: Promise<TotalsProgress>; next?: Promise<TotalsProgress> }
  >();

  constructor(private readonly deps: TotalsDependencies) {}

  /** Adds everything that was stored before this call. Concurrent calls share the work. */
  catchUp(retailer: string, timeLimit: TimeLimit): Promise<TotalsProgress> {
    const running = this.running.get(retailer);
    if (!running) return this.begin(retailer, timeLimit);
    // The run in progress may have started before data that this call has to include was stored.
    running.next ??= running.current.catch(() => undefined).then(() => this.begin(retailer, timeLimit));
    return running.next.catch((error: unknown) => {
      // The run may have failed because its caller had less time.
      if (Date.now() >= timeLimit.deadline) throw error;
      return this.running.get(retailer)?.current ?? this.begin(retailer, timeLimit);
    });
  }

  /** The sums of a retailer's buckets, with everything that was stored before this call. */
  read(retailer: string, filter: BucketFilter, timeLimit: TimeLimit): Promise<readonly BucketSums[]> {
    return this.readPresent(retailer, timeLimit, (generation) =>
      this.deps.buckets.find(retailer, generation, filter, timeLimit),
    );
  }

  /** The tills of a retailer, with everything that was stored before this call. */
  readTills(retailer: string, timeLimit: TimeLimit): Promise<readonly KnownTill[]> {
    return this.readPresent(retailer, timeLimit, (generation) =>
      this.deps.tills.find(retailer, generation, timeLimit),
    );
  }

  /**
   * Adds the cached contributions of these retailers, with a few commands for all of them.
   * @returns the retailers that need `catchUp`, because other processes have stored some of their receipts
   */
  async addRemembered(retailers: readonly string[], timeLimit: TimeLimit): Promise<readonly string[]> {
    const progress = await this.progressOf(retailers, timeLimit);
    const left: string[] = [];
    const pages: Page[] = [];
    for (const retailer of retailers) {
      const from = progress.get(retailer) as ProgressDocument;
      const { arrivals, hasGap } = this.deps.sales.rememberedAfter(retailer, from.upTo);
      if (arrivals.length > 0) pages.push({ retailer, target: 'present', from, arrivals, changes: [] });
      if (hasGap) left.push(retailer);
    }
    if (pages.length > 0) await this.add(pages, timeLimit);
    return left;
  }

  /** Updates a generation to the current receipts, page by page. */
  async advance(retailer: string, target: TotalsTarget, timeLimit: TimeLimit): Promise<ProgressDocument> {
    const { changes, receipts } = this.deps;
    let progress = await this.progress(retailer, timeLimit);
    await changes.number(retailer, timeLimit);
    // Changes are read first, so that their receipts precede the last arrival.
    const changesUpTo = await changes.last(retailer, timeLimit);
    const goal: Goal = { upTo: await receipts.lastNumber(retailer, timeLimit), changesUpTo };
    if (progress.upTo > goal.upTo || progress.changesUpTo > goal.changesUpTo) {
      progress = await this.beginAgain(progress, timeLimit);
    }
    for (;;) {
      const from = targetOf(progress, target);
      if (!from || (from.upTo >= goal.upTo && from.changesUpTo >= goal.changesUpTo)) return progress;
      if (Date.now() >= timeLimit.deadline) {
        throw retrySoon(unavailable, { internal: 'the totals are not complete yet' });
      }
      try {
        await this.add([await this.nextPage(retailer, target, from, goal, timeLimit)], timeLimit);
      } catch (error) {
        if (!(error instanceof TotalsConflict)) throw error;
        await pause(Math.random() * conflictPauseMaxMs);
      }
      progress = await this.progress(retailer, timeLimit);
    }
  }

  /** The progress of a retailer, which is created if there is none. */
  async progress(retailer: string, timeLimit: TimeLimit): Promise<ProgressDocument> {
    return (await this.progressOf([retailer], timeLimit)).get(retailer) as ProgressDocument;
  }

  private async readPresent<T>(
    retailer: string,
    timeLimit: TimeLimit,
    find: (generation: string) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const { generation } = await this.catchUp(retailer, timeLimit);
      const found = await find(generation);
      // Otherwise, a rebuild has replaced the generation, and may have deleted some of its documents.
      if ((await this.progress(retailer, timeLimit)).generation === generation) return found;
    }
  }

  private begin(retailer: string, timeLimit: TimeLimit): Promise<TotalsProgress> {
    const current = this.advance(retailer, 'present', timeLimit);
    const run = { current };
    this.running.set(retailer, run);
    const end = () => void (this.running.get(retailer) === run && this.running.delete(retailer));
    current.then(end, end);
    return current;
  }

  private async nextPage(
    retailer: string,
    target: TotalsTarget,
    from: TotalsProgress,
    goal: Goal,
    timeLimit: TimeLimit,
  ): Promise<Page> {
    const { changes, sales } = this.deps;
    const page = { retailer, target, from, arrivals: [], changes: [] };
    if (from.upTo < goal.upTo) {
      return { ...page, arrivals: await sales.after(retailer, from.upTo, timeLimit) };
    }
    return { ...page, changes: await changes.after(retailer, from.changesUpTo, changesAtOnce, timeLimit) };
  }

  /**
   * Adds pages to their buckets, and only then advances the progress past them.
   * @throws TotalsConflict if another process works on the same buckets; contributions added so far remain
   */
  private async add(pages: readonly Page[], timeLimit: TimeLimit): Promise<void> {
    const parts = pages.map((page) => ({ page, sides: sidesOf(page) }));
    const wanted = parts.flatMap(({ page: { retailer, from }, sides }) =>
      sides.map(({ sale: { bucket } }) => ({ retailer, generation: from.generation, bucket })),
    );
    const open = await this.deps.buckets.open(wanted, timeLimit);
    const changed = new Set<OpenBucket>();
    for (const { page, sides } of parts) addSides(page, sides, open, changed);
    await this.deps.buckets.save([...changed], timeLimit);
    await this.deps.tills.save(pages, timeLimit);
    await this.moveProgress(pages, timeLimit);
  }

  private async moveProgress(pages: readonly Page[], timeLimit: TimeLimit): Promise<void> {
    const operations = pages.map((page) => {
      const path = page.target === 'present' ? '' : 'rebuild.';
      const at = ({ generation, upTo, changesUpTo }: TotalsProgress) => ({
        [`${path}generation`]: generation,
        [`${path}upTo`]: upTo,
        [`${path}changesUpTo`]: changesUpTo,
      });
      const filter = { _id: page.retailer, ...at(page.from) };
      return { updateOne: { filter, update: { $set: at(progressAfter(page)) } } };
    }) as unknown as AnyBulkWriteOperation<TotalsDocument>[];
    const { matchedCount } = await this.deps.collection.bulkWrite(operations, {
      ordered: false,
      signal: deadlineSignal(timeLimit),
    });
    if (matchedCount < pages.length) throw new TotalsConflict();
  }

  private async progressOf(
    retailers: readonly string[],
    timeLimit: TimeLimit,
  ): Promise<Map<string, ProgressDocument>> {
    const { collection } = this.deps;
    const find = async () => {
      const found = await collection
        .find<ProgressDocument>({ _id: { $in: [...retailers] } }, { ...majorityRead(timeLimit) })
        .toArray();
      return new Map(found.map((document) => [document._id, document]));
    };
    const found = await find();
    const missing = retailers.filter((retailer) => !found.has(retailer));
    if (missing.length === 0) return found;
    const operations = missing.map((_id) => ({
      updateOne: {
        filter: { _id },
        update: { $setOnInsert: { progress: true, generation: newId(), upTo: 0, changesUpTo: 0 } },
        upsert: true,
      },
    })) as unknown as AnyBulkWriteOperation<TotalsDocument>[];
    await collection.bulkWrite(operations, { ordered: false, signal: deadlineSignal(timeLimit) });
    return find();
  }

  /** After a restore that has lost receipts, the sums contain receipts that no longer exist. */
  private async beginAgain(
    { _id, generation }: ProgressDocument,
    timeLimit: TimeLimit,
  ): Promise<ProgressDocument> {
    const fresh = { generation: newId(), upTo: 0, changesUpTo: 0, unfinished: true };
    await this.deps.collection.updateOne(
      { _id, generation },
      { $set: fresh as object, $unset: { rebuild: '' } },
      { signal: deadlineSignal(timeLimit) },
    );
    return this.progress(_id, timeLimit);
  }
}
