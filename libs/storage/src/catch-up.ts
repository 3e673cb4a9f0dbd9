import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { Lease } from './lease';
import type { Log } from './log';
import { Marks, type MarkDocument } from './marks';
import { NumberRanges } from './number-ranges';

/** How far a consumer knows what another service owns, of one retailer. */
export interface PlaceDocument extends MarkDocument {
  /** Where the owner's order of changes is read on; absent until a walk has begun, and empty until it has read something. */
  readonly next?: string;
}

/** One thing that arrived or changed, as it is now. */
export interface Arrival {
  /** Its place in the owner's order of arrival; absent where nobody notes of which arrivals was heard. */
  readonly arrival?: number;
}

export interface ChangesPage<C> {
  readonly changes: readonly C[];
  /** The last arrival in this page, or in one before it; absent like `arrival`. */
  readonly arrived?: number;
  readonly next: string;
  readonly more: boolean;
}

/** Tells whether a collection is still the one to which a walk has brought everything. */
export interface Witness {
  isThere(retailer: string): Promise<boolean>;
  put(retailer: string): Promise<void>;
}

export interface CatchUpOptions<C extends Arrival> {
  /** Names the consumer, in the log. */
  readonly name: string;
  /**
   * Keeps the places; may be the collection that is kept current, so that whoever deletes it deletes them as well and has it
   * rebuilt.
   */
  readonly places: Collection<PlaceDocument>;
  /** True where later changes are of no interest: what had arrived before the consumer heard of it stays as it was. */
  readonly arrivalsOnly?: boolean;
  readonly retailers: () => AsyncIterable<readonly string[]>;
  /** Asks the owner for what follows a place, and for no arrival up to a number. */
  readonly read: (
    retailer: string,
    place: { readonly after: string | null; readonly arrived: number },
  ) => Promise<ChangesPage<C>>;
  /** Does what the events of these would have done. Must be idempotent. @param askedAt before the owner was asked */
  readonly apply: (retailer: string, changes: readonly C[], askedAt: Date) => Promise<void>;
  /** What is derived beside the collection of the places, and may have been deleted without them. */
  readonly witness?: Witness;
  /** Lets one process at a time walk. */
  readonly lease: Lease;
  readonly log: Log;
  /** How long after it was asked for a walk begins, so that events on their way need not be read; 2 s unless given. */
  readonly delayMs?: number | undefined;
  /** How often it walks unasked, for what was lost without anybody's noticing; 10 min unless given. */
  readonly everyMs?: number | undefined;
  /** How often marks are moved over what was heard; 1 s unless given. */
  readonly moveEveryMs?: number;
  readonly now?: () => Date;
}

const delayMsDefault = 2_000;
const everyMsDefault = 10 * 60_000;
const moveEveryMsDefault = 1_000;
const retryFirstMs = 1_000;
const retryMaxMs = 30_000;
/** The lease is taken again at least so often; it must last longer. */
const renewEveryMs = 3_000;

const fromStart = '';
const keyOf = (retailer: string) => `place|${retailer}`;
const retailerOf = (key: string) => key.slice(keyOf('').length);

/**
 * Keeps a consumer right when events are lost. Events tell it of arrivals, each with its number in an order without holes;
 * one mark a retailer says up to where none is missing. A walk asks the owner for what lies above the mark, and for what was
 * changed since the walk before: at the start, after each reconnect to the broker, by command, and now and then.
 */
export class CatchUp<C extends Arrival> {
  private readonly marks: Marks;
  private readonly heard = new Map<string, NumberRanges>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly now: () => Date;
  private moving: Promise<void> = Promise.resolve();
  private wanted = false;
  private walking: Promise<void> | undefined;
  private renewedAt: number | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: CatchUpOptions<C>) {
    const { places, everyMs = everyMsDefault, moveEveryMs = moveEveryMsDefault } = options;
    this.now = options.now ?? (() => new Date());
    this.marks = new Marks(places, () => Promise.resolve(0));
    this.timers.push(setInterval(() => this.want(), everyMs).unref());
    this.timers.push(setInterval(() => void this.moveMarks(), moveEveryMs).unref());
  }

  /** Notes that an arrival was heard of, and dealt with. */
  note(retailer: string, arrival: number | undefined): void {
    // Earlier versions did not tell it.
    if (arrival === undefined) return;
    const ranges = this.heard.get(retailer) ?? new NumberRanges();
    ranges.add(arrival);
    this.heard.set(retailer, ranges);
  }

  /** Has a walk begin soon, or one more after the one that is running. Tries until one has come to its end. */
  want(): void {
    this.wanted = true;
    this.walking ??= this.walkWhileWanted().finally(() => (this.walking = undefined));
  }

  /** Forgets the places, so that the next walk reads everything. */
  async restart(): Promise<void> {
    // All keys that begin with `place|`, as `}` follows the bar.
    await this.options.places.deleteMany({ _id: { $gte: 'place|', $lt: 'place}' } });
    this.heard.clear();
  }

  /** Walks once through the changes of all retailers. @returns how many were applied */
  async walk(): Promise<number> {
    let count = 0;
    let fault: unknown;
    for await (const retailers of this.options.retailers()) {
      for (const retailer of retailers) {
        if (this.stopping.signal.aborted) return count;
        try {
          count += await this.walkOf(retailer);
        } catch (error) {
          if (error instanceof LeaseIsHeld) throw error;
          this.warn('could not catch up with a retailer', error, { retailer });
          fault ??= error;
        }
      }
    }
    if (fault !== undefined) throw fault instanceof Error ? fault : new Error('could not catch up');
    return count;
  }

  /** Moves the marks over what was heard of. */
  moveMarks(): Promise<void> {
    this.moving = this.moving.then(() => this.moveAll());
    return this.moving;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers) clearInterval(timer);
    await this.walking;
    await this.moveMarks();
  }

  private async walkWhileWanted(): Promise<void> {
    const { name, delayMs = delayMsDefault, lease, log } = this.options;
    let pauseMs = delayMs;
    let retryMs = retryFirstMs;
    while (this.wanted && !this.stopping.signal.aborted) {
      await this.pause(pauseMs);
      if (this.stopping.signal.aborted) return;
      this.wanted = false;
      try {
        // Whoever holds the lease may have begun before this process had lost anything, so this one walks as well.
        this.renewedAt = undefined;
        await this.renew();
        const count = await this.walk();
        if (count > 0) log.info('caught up', { consumer: name, changes: count });
        await lease.release();
        pauseMs = delayMs;
        retryMs = retryFirstMs;
      } catch (error) {
        if (!(error instanceof LeaseIsHeld)) this.warn('could not catch up', error);
        this.wanted = true;
        pauseMs = retryMs;
        retryMs = Math.min(retryMaxMs, retryMs * 2);
      }
    }
  }

  private async walkOf(retailer: string): Promise<number> {
    const { read, apply, arrivalsOnly = false } = this.options;
    let { next, upTo: arrived } = await this.placeOf(retailer);
    // What changed before the first walk is seen only by reading everything once.
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
      // An idle platform writes nothing.
      if (page.changes.length > 0 || after === null) {
        await this.reached(retailer, { next, arrived }, page);
        next = page.next;
      }
      arrived = page.arrived ?? arrived;
      if (!page.more || this.stopping.signal.aborted) return count;
      await this.renew();
    }
  }

  private async placeOf(retailer: string): Promise<Required<Pick<PlaceDocument, 'next' | 'upTo'>>> {
    const { places, witness, arrivalsOnly = false } = this.options;
    const _id = keyOf(retailer);
    const place = await places.findOne({ _id });
    const isIntact = (await witness?.isThere(retailer)) ?? true;
    if (place?.next !== undefined && isIntact) return { next: place.next, upTo: place.upTo };
    const known = arrivalsOnly ? (place?.upTo ?? 0) : 0;
    await places.updateOne(
      { _id },
      { $set: { next: fromStart, upTo: known }, $unset: { above: 1 }, $inc: { rev: 1 } },
      { upsert: true },
    );
    await witness?.put(retailer);
    return { next: fromStart, upTo: known };
  }

  /** @throws Error when the place was deleted meanwhile, with what was derived, or another process walks as well */
  private async reached(
    retailer: string,
    from: { readonly next: string; readonly arrived: number },
    page: ChangesPage<C>,
  ): Promise<void> {
    const _id = keyOf(retailer);
    const set = { $set: { next: page.next } };
    const { matchedCount } = await this.options.places.updateOne({ _id, next: from.next }, set);
    if (matchedCount === 0) throw new Error('the place from which this walk went on is not there any more');
    const { arrived = 0 } = page;
    if (arrived <= from.arrived) return;
    const marks = await this.marks.move(new Map([[_id, [{ from: from.arrived + 1, to: arrived }]]]));
    this.heard.get(retailer)?.dropUpTo(marks.get(_id)?.upTo ?? 0);
  }

  private async moveAll(): Promise<void> {
    if (this.heard.size === 0) return;
    const done = new Map([...this.heard].map(([retailer, { all }]) => [keyOf(retailer), [...all]]));
    try {
      for (const [key, { upTo }] of await this.marks.move(done)) {
        const ranges = this.heard.get(retailerOf(key));
        ranges?.dropUpTo(upTo);
        if (ranges && !ranges.lowest) this.heard.delete(retailerOf(key));
      }
    } catch (error) {
      this.warn('could not note what was heard of', error);
    }
  }

  /** @throws LeaseIsHeld when another process walks */
  private async renew(): Promise<void> {
    if (this.renewedAt !== undefined && performance.now() - this.renewedAt < renewEveryMs) return;
    if (!(await this.options.lease.acquire())) throw new LeaseIsHeld();
    this.renewedAt = performance.now();
  }

  /** Ends early when this is stopped. */
  private async pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { ref: false, signal: this.stopping.signal }).catch(() => undefined);
  }

  private warn(msg: string, error: unknown, fields: object = {}): void {
    const { name, message } = error instanceof Error ? error : { name: typeof error, message: '' };
    const { name: consumer, log } = this.options;
    log.warn(msg, { consumer, ...fields, error: name, error_message: message });
  }
}

class LeaseIsHeld extends Error {}
