import type { Collection } from 'mongodb';
import { RetriedTask } from '@receipts/concurrency';
import { ServiceError, unavailable, type Log } from '@receipts/kernel';
import type { Lease } from './lease';
import { Watermarks, type WatermarkDocument } from './watermarks';

/** How far a consumer has read one retailer's data of another service. */
export interface CursorDocument extends WatermarkDocument {
  /**
   * The cursor in the owner's order of changes. Absent before the first run, and empty until a page has been read.
   */
  readonly next?: string;
}

/** A document that has arrived or changed, in its current state. */
export interface CatchUpItem {
  /** Its number in the owner's order of arrival; absent if the consumer does not record arrivals. */
  readonly arrival?: number;
}

export interface ChangesPage<C> {
  readonly changes: readonly C[];
  /** The last arrival up to the end of this page; absent like `arrival`. */
  readonly arrived?: number;
  readonly next: string;
  readonly more: boolean;
}

/** Detects whether the derived collection is still the collection that a run has filled. */
export interface RebuildMarker {
  isThere(retailer: string): Promise<boolean>;
  put(retailer: string): Promise<void>;
}

export interface GapRecoveryOptions<C extends CatchUpItem> {
  /** The consumer's name in the log. */
  readonly name: string;
  /** Stores the cursors, by retailer. Deleting it causes a rebuild. */
  readonly cursors: Collection<CursorDocument>;
  /**
   * Which changes to documents below the watermark are applied; default all. If given, the first run does not read the
   * documents below the watermark.
   */
  readonly appliesLater?: (change: C) => boolean;
  readonly retailers: () => AsyncIterable<readonly string[]>;
  /** The owner of a retailer's data, if it is not the same for all. */
  readonly ownerOf?: (retailer: string) => string;
  /** Requests the changes after a cursor, and the arrivals above a number, from the owner. */
  readonly read: (
    retailer: string,
    cursor: { readonly after: string | null; readonly arrived: number },
  ) => Promise<ChangesPage<C>>;
  /**
   * Has the same effect as the events of these changes. Must be idempotent. @param askedAt the time before the request
   * to the owner
   */
  readonly apply: (retailer: string, changes: readonly C[], askedAt: Date) => Promise<void>;
  /** One marker for each derived collection. Without it, a collection that is deleted alone is not filled again. */
  readonly rebuildMarkers?: readonly RebuildMarker[];
  /** Ensures that only one process runs at a time. */
  readonly lease: Lease;
  readonly log: Log;
  /** Delay between the request for a run and its start, so that events in transit need not be read; default 2 s. */
  readonly delayMs?: number | undefined;
  readonly now?: () => Date;
}

const delayMsDefault = 2_000;
/** How often a run starts without a request, to recover losses that nothing detected. */
const everyMs = 10 * 60_000;
const retryFirstMs = 1_000;
const retryMaxMs = 30_000;
/** The lease is renewed at this interval, so it must last longer. */
const renewEveryMs = 3_000;

/** The owner's reply to a cursor beyond its newest data. */
const unknownCursorCode = 'unknown_cursor';
const fromStart = '';
const keyPrefix = 'cursor|';
const keyOf = (retailer: string) => `${keyPrefix}${retailer}`;

/**
 * Keeps a consumer's data correct when events are lost. Arrivals are numbered without gaps, each event carries its
 * number, and one watermark per retailer records the number up to which all have been received. A run requests
 * from the owner the arrivals above the watermark and the changes since the previous run. It takes place on startup,
 * after each reconnect to the broker, on request, and periodically.
 */
export class GapRecovery<C extends CatchUpItem> {
  private readonly watermarks: Watermarks;
  private timer: NodeJS.Timeout | undefined;
  private readonly now: () => Date;
  /** The retailers that the last run has left to the next; empty if the next run reads all. */
  private left: readonly string[] = [];
  private readonly runs: RetriedTask;
  private readonly ownerOf: (retailer: string) => string;
  private readonly silentOwners = new Set<string>();
  private renewedAt: number | undefined;
  private isStopping = false;

  constructor(private readonly options: GapRecoveryOptions<C>) {
    const { cursors, log } = options;
    this.now = options.now ?? (() => new Date());
    this.ownerOf = options.ownerOf ?? (() => '');
    this.watermarks = new Watermarks({ collection: cursors, initial: () => 0, log });
    this.runs = new RetriedTask({
      retryFirstMs,
      retryMaxMs,
      log,
      run: () => this.runWithLease(),
      delayMs: options.delayMs ?? delayMsDefault,
      failure: `could not catch up with ${options.name}`,
    });
  }

  start(): void {
    this.watermarks.start();
    this.timer = setInterval(() => this.requestRun(), everyMs).unref();
    this.requestRun();
  }

  reconnected(): void {
    this.requestRun();
  }

  /** Records that an arrival was received and processed. */
  recordArrival(retailer: string, arrival: number): void {
    this.watermarks.add(keyOf(retailer), arrival);
  }

  /** Requests a run, or a further run if one is in progress. What a run leaves is retried until nothing is left. */
  requestRun(): void {
    this.left = [];
    this.runs.request();
  }

  /** Deletes the cursors, so that the next run reads everything. */
  async restart(): Promise<void> {
    // The range contains all keys with the prefix, because `}` follows `|`.
    await this.options.cursors.deleteMany({ _id: { $gte: keyPrefix, $lt: 'cursor}' } });
    this.watermarks.forget();
  }

  /**
   * Reads the changes of all retailers once, or of those that the last run has left. An owner that does not reply is
   * asked once, because each wait delays the data of the others.
   * @returns the number of applied changes
   */
  async run(): Promise<number> {
    const { name, log } = this.options;
    const skipped: string[] = [];
    const failed: string[] = [];
    let count = 0;
    let fault: unknown;
    this.silentOwners.clear();
    for await (const retailers of this.left.length > 0 ? [this.left] : this.options.retailers()) {
      for (const retailer of retailers) {
        if (this.isStopping) return count;
        if (this.silentOwners.has(this.ownerOf(retailer))) {
          skipped.push(retailer);
          continue;
        }
        try {
          count += await this.recover(retailer);
        } catch (error) {
          if (error instanceof LeaseHeldError) throw error;
          if (error instanceof ServiceError && error.code === unknownCursorCode) await this.reset(retailer);
          log.warn('could not catch up with a retailer', { consumer: name, retailer, error });
          failed.push(retailer);
          fault ??= error;
        }
      }
    }
    // The retailers that have failed are last, so that they do not keep the others waiting.
    if (!this.runs.isRequested) this.left = [...skipped, ...failed];
    if (fault !== undefined) throw fault instanceof Error ? fault : new Error('could not catch up');
    return count;
  }

  /** Moves the watermarks over the received arrivals. */
  moveWatermarks(): Promise<void> {
    return this.watermarks.save();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.runs.stop();
    await this.watermarks.stop();
  }

  /** False if another process holds the lease: it may have started before this process lost events. */
  private async runWithLease(): Promise<boolean> {
    const { name, lease, log } = this.options;
    try {
      this.renewedAt = undefined;
      await this.renew();
      const count = await this.run();
      if (count > 0) log.info('caught up', { consumer: name, changes: count });
      await lease.release();
      return true;
    } catch (error) {
      if (error instanceof LeaseHeldError) return false;
      throw error;
    }
  }

  private async recover(retailer: string): Promise<number> {
    const { apply, appliesLater } = this.options;
    let { next, upTo: arrived } = await this.cursorOf(retailer);
    // Changes before the first run can only be found by reading everything once.
    if (next === fromStart && !appliesLater) arrived = 0;
    for (let count = 0; ;) {
      await this.renew();
      const askedAt = this.now();
      const after = next === fromStart ? null : next;
      const page = await this.read(retailer, { after, arrived });
      const missed = appliesLater
        ? page.changes.filter((change) => (change.arrival ?? 0) > arrived || appliesLater(change))
        : page.changes;
      if (missed.length > 0) await apply(retailer, missed, askedAt);
      count += missed.length;
      // Nothing is written if there are no changes, so that an idle platform does not write.
      if (page.changes.length > 0 || after === null) {
        await this.saveCursor(retailer, { next, arrived }, page);
        next = page.next;
      }
      arrived = page.arrived ?? arrived;
      if (!page.more || this.isStopping) return count;
    }
  }

  private async read(...[retailer, cursor]: Parameters<typeof this.options.read>): Promise<ChangesPage<C>> {
    try {
      return await this.options.read(retailer, cursor);
    } catch (error) {
      const isSilent = error instanceof ServiceError && error.code === unavailable.code;
      if (isSilent) this.silentOwners.add(this.ownerOf(retailer));
      throw error;
    }
  }

  private async cursorOf(retailer: string): Promise<Required<Pick<CursorDocument, 'next' | 'upTo'>>> {
    const { cursors, rebuildMarkers = [], appliesLater } = this.options;
    const _id = keyOf(retailer);
    const cursor = await cursors.findOne({ _id });
    const intact = await Promise.all(rebuildMarkers.map((marker) => marker.isThere(retailer)));
    const isIntact = intact.every(Boolean);
    if (cursor?.next !== undefined && isIntact) return { next: cursor.next, upTo: cursor.upTo };
    const known = appliesLater ? (cursor?.upTo ?? 0) : 0;
    await cursors.updateOne(
      { _id },
      { $set: { next: fromStart, upTo: known }, $unset: { completedRanges: 1 }, $inc: { rev: 1 } },
      { upsert: true },
    );
    for (const marker of rebuildMarkers) await marker.put(retailer);
    return { next: fromStart, upTo: known };
  }

  /** @throws Error if the cursor was deleted together with the derived data, or another process moved it */
  private async saveCursor(
    retailer: string,
    from: { readonly next: string; readonly arrived: number },
    { next, arrived = 0 }: ChangesPage<C>,
  ): Promise<void> {
    const _id = keyOf(retailer);
    const { matchedCount } = await this.options.cursors.updateOne(
      { _id, next: from.next },
      { $set: { next } },
    );
    if (matchedCount === 0) throw new Error('the cursor that this run started from no longer exists');
    if (arrived <= from.arrived) return;
    this.watermarks.add(_id, from.arrived + 1, arrived);
    await this.watermarks.save();
  }

  /** The owner has lost its newest data, so the next run reads all of this retailer's data. */
  private async reset(retailer: string): Promise<void> {
    await this.options.cursors.deleteOne({ _id: keyOf(retailer) });
    this.watermarks.forget(keyOf(retailer));
  }

  /** @throws LeaseHeldError if another process is running */
  private async renew(): Promise<void> {
    if (this.renewedAt !== undefined && performance.now() - this.renewedAt < renewEveryMs) return;
    if (!(await this.options.lease.acquire())) throw new LeaseHeldError();
    this.renewedAt = performance.now();
  }
}

class LeaseHeldError extends Error {}
