import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { ServiceError, type Log } from '@receipts/kernel';
import type { Lease } from './lease';
import { Watermarks, type WatermarkDocument } from './watermarks';
import { NumberRanges } from './number-ranges';

/** How far a consumer has read one retailer's data of another service. */
export interface CursorDocument extends WatermarkDocument {
  /**
   * The cursor in the owner's order of changes. Absent before the first walk, and empty until a page has been read.
   */
  readonly next?: string;
}

/** A document that has arrived or changed, in its current state. */
export interface Arrival {
  /** Its number in the owner's order of arrival; absent where the consumer does not note arrivals. */
  readonly arrival?: number;
}

export interface ChangesPage<C> {
  readonly changes: readonly C[];
  /** The last arrival up to the end of this page; absent like `arrival`. */
  readonly arrived?: number;
  readonly next: string;
  readonly more: boolean;
}

/** Detects whether the derived collection is still the one that a walk has filled. */
export interface RebuildMarker {
  isThere(retailer: string): Promise<boolean>;
  put(retailer: string): Promise<void>;
}

export interface GapRecoveryOptions<C extends Arrival> {
  /** The consumer's name in the log. */
  readonly name: string;
  /**
   * Stores the cursors. It may be the derived collection itself, so that deleting that collection also deletes the
   * cursors and causes a rebuild.
   */
  readonly cursors: Collection<CursorDocument>;
  /** True when later changes do not matter: a document that arrived before the watermark is not applied again. */
  readonly arrivalsOnly?: boolean;
  readonly retailers: () => AsyncIterable<readonly string[]>;
  /** Asks the owner for the changes after a cursor, and for the arrivals above a number. */
  readonly read: (
    retailer: string,
    cursor: { readonly after: string | null; readonly arrived: number },
  ) => Promise<ChangesPage<C>>;
  /**
   * Has the same effect as the events of these changes. Must be idempotent. @param askedAt the time before the owner
   * was asked
   */
  readonly apply: (retailer: string, changes: readonly C[], askedAt: Date) => Promise<void>;
  /** The marker of derived data that is stored elsewhere and may be deleted without the cursors. */
  readonly rebuildMarker?: RebuildMarker;
  /** Ensures that one process at a time walks. */
  readonly lease: Lease;
  readonly log: Log;
  /** Delay between the request for a walk and its start, so that events in transit need not be read; default 2 s. */
  readonly delayMs?: number | undefined;
  /** How often a walk starts without a request, to recover losses that nothing detected; default 10 min. */
  readonly everyMs?: number | undefined;
  /** How often watermarks are moved over received arrivals; default 1 s. */
  readonly moveEveryMs?: number;
  readonly now?: () => Date;
}

const delayMsDefault = 2_000;
const everyMsDefault = 10 * 60_000;
const moveEveryMsDefault = 1_000;
const retryFirstMs = 1_000;
const retryMaxMs = 30_000;
/** The lease is renewed at this interval, so it must last longer. */
const renewEveryMs = 3_000;

/** The owner's answer to a cursor beyond its newest data. */
const unknownCursorCode = 'unknown_cursor';
const fromStart = '';
const keyOf = (retailer: string) => `cursor|${retailer}`;
const retailerOf = (key: string) => key.slice(keyOf('').length);

/**
 * Keeps a consumer's data correct when events are lost. Each event carries the number of its arrival in an order
 * without gaps, and one watermark per retailer says up to which number all have been received. A walk asks the owner for
 * the arrivals above the watermark and the changes since the previous walk: at start, after each reconnect to the broker,
 * on command, and periodically.
 */
export class GapRecovery<C extends Arrival> {
  private readonly watermarks: Watermarks;
  private readonly received = new Map<string, NumberRanges>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly now: () => Date;
  private moving: Promise<void> = Promise.resolve();
  private isRunRequested = false;
  private running: Promise<void> | undefined;
  private renewedAt: number | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: GapRecoveryOptions<C>) {
    const { cursors, everyMs = everyMsDefault, moveEveryMs = moveEveryMsDefault } = options;
    this.now = options.now ?? (() => new Date());
    this.watermarks = new Watermarks(cursors, () => Promise.resolve(0));
    this.timers.push(setInterval(() => this.requestRun(), everyMs).unref());
    this.timers.push(setInterval(() => void this.moveWatermarks(), moveEveryMs).unref());
  }

  /** Notes that an arrival was received and processed. */
  recordArrival(retailer: string, arrival: number): void {
    const ranges = this.received.get(retailer) ?? new NumberRanges();
    ranges.add(arrival);
    this.received.set(retailer, ranges);
  }

  /** Requests a walk, or one more if a walk is running. Failed walks are retried until one completes. */
  requestRun(): void {
    this.isRunRequested = true;
    this.running ??= this.runWhileRequested().finally(() => (this.running = undefined));
  }

  /** The owner has lost its newest data, so the next walk reads everything of this retailer. */
  private async resetRetailer(retailer: string): Promise<void> {
    await this.options.cursors.deleteOne({ _id: keyOf(retailer) });
    this.received.delete(retailer);
  }

  /** Deletes the cursors, so that the next walk reads everything. */
  async restart(): Promise<void> {
    // The range contains all keys with the prefix `cursor|`, because `}` follows `|`.
    await this.options.cursors.deleteMany({ _id: { $gte: 'cursor|', $lt: 'cursor}' } });
    this.received.clear();
  }

  /** Walks once through the changes of all retailers. @returns the number of applied changes */
  async walk(): Promise<number> {
    let count = 0;
    let fault: unknown;
    for await (const retailers of this.options.retailers()) {
      for (const retailer of retailers) {
        if (this.stopping.signal.aborted) return count;
        try {
          count += await this.recoverRetailer(retailer);
        } catch (error) {
          if (error instanceof LeaseHeldError) throw error;
          if (error instanceof ServiceError && error.code === unknownCursorCode)
            await this.resetRetailer(retailer);
          this.warn('could not catch up with a retailer', error, { retailer });
          fault ??= error;
        }
      }
    }
    if (fault !== undefined) throw fault instanceof Error ? fault : new Error('could not catch up');
    return count;
  }

  /** Moves the watermarks over the received arrivals. */
  moveWatermarks(): Promise<void> {
    this.moving = this.moving.then(() => this.moveAll());
    return this.moving;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers) clearInterval(timer);
    await this.running;
    await this.moveWatermarks();
  }

  private async runWhileRequested(): Promise<void> {
    const { name, delayMs = delayMsDefault, lease, log } = this.options;
    let pauseMs = delayMs;
    let retryMs = retryFirstMs;
    while (this.isRunRequested && !this.stopping.signal.aborted) {
      await this.pause(pauseMs);
      if (this.stopping.signal.aborted) return;
      this.isRunRequested = false;
      try {
        // The current holder may have started before this process lost events, so this process still has to walk.
        this.renewedAt = undefined;
        await this.renew();
        const count = await this.walk();
        if (count > 0) log.info('caught up', { consumer: name, changes: count });
        await lease.release();
        pauseMs = delayMs;
        retryMs = retryFirstMs;
      } catch (error) {
        if (!(error instanceof LeaseHeldError)) this.warn('could not catch up', error);
        this.isRunRequested = true;
        pauseMs = retryMs;
        retryMs = Math.min(retryMaxMs, retryMs * 2);
      }
    }
  }

  private async recoverRetailer(retailer: string): Promise<number> {
    const { read, apply, arrivalsOnly = false } = this.options;
    let { next, upTo: arrived } = await this.cursorOf(retailer);
    // Changes before the first walk are only found by reading everything once.
    if (next === fromStart && !arrivalsOnly) arrived = 0;
    for (let count = 0; ;) {
      const askedAt = this.now();
      const after = next === fromStart ? null : next;
      const page = await read(retailer, { after, arrived });
      const wanted = arrivalsOnly
        ? page.changes.filter(({ arrival = 0 }) => arrival > arrived)
        : page.changes;
      if (wanted.length > 0) await apply(retailer, wanted, askedAt);
      count += wanted.length;
      // Nothing is written without changes, so that an idle platform does not write.
      if (page.changes.length > 0 || after === null) {
        await this.saveCursor(retailer, { next, arrived }, page);
        next = page.next;
      }
      arrived = page.arrived ?? arrived;
      if (!page.more || this.stopping.signal.aborted) return count;
      await this.renew();
    }
  }

  private async cursorOf(retailer: string): Promise<Required<Pick<CursorDocument, 'next' | 'upTo'>>> {
    const { cursors, rebuildMarker, arrivalsOnly = false } = this.options;
    const _id = keyOf(retailer);
    const cursor = await cursors.findOne({ _id });
    const isIntact = (await rebuildMarker?.isThere(retailer)) ?? true;
    if (cursor?.next !== undefined && isIntact) return { next: cursor.next, upTo: cursor.upTo };
    const known = arrivalsOnly ? (cursor?.upTo ?? 0) : 0;
    await cursors.updateOne(
      { _id },
      { $set: { next: fromStart, upTo: known }, $unset: { completedRanges: 1 }, $inc: { rev: 1 } },
      { upsert: true },
    );
    await rebuildMarker?.put(retailer);
    return { next: fromStart, upTo: known };
  }

  /** @throws Error when the cursor was deleted together with the derived data, or another process moved it */
  private async saveCursor(
    retailer: string,
    from: { readonly next: string; readonly arrived: number },
    page: ChangesPage<C>,
  ): Promise<void> {
    const _id = keyOf(retailer);
    const set = { $set: { next: page.next } };
    const { matchedCount } = await this.options.cursors.updateOne({ _id, next: from.next }, set);
    if (matchedCount === 0) throw new Error('the cursor from which this walk went on is not there any more');
    const { arrived = 0 } = page;
    if (arrived <= from.arrived) return;
    const watermarks = await this.watermarks.move(
      new Map([[_id, [{ from: from.arrived + 1, to: arrived }]]]),
    );
    this.received.get(retailer)?.dropUpTo(watermarks.get(_id)?.upTo ?? 0);
  }

  private async moveAll(): Promise<void> {
    if (this.received.size === 0) return;
    const done = new Map([...this.received].map(([retailer, { all }]) => [keyOf(retailer), [...all]]));
    try {
      for (const [key, { upTo }] of await this.watermarks.move(done)) {
        const ranges = this.received.get(retailerOf(key));
        ranges?.dropUpTo(upTo);
        if (ranges && !ranges.lowest) this.received.delete(retailerOf(key));
      }
    } catch (error) {
      this.warn('could not note what was received of', error);
    }
  }

  /** @throws LeaseHeldError when another process walks */
  private async renew(): Promise<void> {
    if (this.renewedAt !== undefined && performance.now() - this.renewedAt < renewEveryMs) return;
    if (!(await this.options.lease.acquire())) throw new LeaseHeldError();
    this.renewedAt = performance.now();
  }

  /** Ends early on stop. */
  private async pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { ref: false, signal: this.stopping.signal }).catch(() => undefined);
  }

  private warn(msg: string, error: unknown, fields: object = {}): void {
    const { name: consumer, log } = this.options;
    log.warn(msg, { consumer, ...fields, error });
  }
}

class LeaseHeldError extends Error {}
