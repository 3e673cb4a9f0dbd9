import type { Collection } from 'mongodb';
import type { Log } from '@receipts/kernel';
import { databaseTimeout } from './faults';
import { NumberRanges, type NumberRange } from './number-ranges';

/**
 * The high-water mark of a retailer's order of arrival, which is numbered without gaps. It covers the numbers that any
 * process has handled.
 */
export interface WatermarkDocument {
  /** The retailer. */
  readonly _id: string;
  /** All numbers up to and including this number are done. */
  readonly upTo: number;
  /**
   * Ranges above `upTo` that are done, in ascending order; other processes are working on the gaps. Absent if empty.
   */
  readonly completedRanges?: readonly NumberRange[];
  /** Revision for compare-and-set, incremented by each write. */
  readonly rev: number;
  /** When this document was created: with the retailer's first number, or after the watermark was lost. */
  readonly created_at?: Date;
}

export interface WatermarksOptions {
  readonly collection: Collection<WatermarkDocument>;
  /**
   * The watermark of a retailer that has none: a new retailer, or one whose watermark was lost.
   * @param known the last watermark that this process has seen
   */
  readonly initial: (retailer: string, known: number | undefined) => number | Promise<number>;
  readonly log: Log;
  readonly now?: () => number;
}

/**
 * Processes that write the same watermark concurrently retry. A watermark that still could not be written is written
 * with the next save.
 */
const attemptsMax = 5;
const saveEveryMs = 1_000;

/**
 * Records processed numbers: immediately in memory, and about once a second in one document per retailer. Watermarks
 * only increase, and never past an unprocessed number. After a crash, the last second may be processed again.
 */
export class Watermarks {
  /** The numbers above the watermarks that this process knows to be processed. */
  private readonly completed = new Map<string, NumberRanges>();
  /** The watermarks that this process has seen. */
  private readonly known = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();

  constructor(private readonly options: WatermarksOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.save(), saveEveryMs).unref();
  }

  add(retailer: string, from: number, to = from): void {
    const ranges = this.completed.get(retailer) ?? new NumberRanges();
    ranges.add(from, to);
    this.completed.set(retailer, ranges);
  }

  /** True if the number is known to be processed; false if it is unprocessed, or if this process does not know. */
  isCompleted(retailer: string, arrival: number): boolean {
    return arrival <= (this.known.get(retailer) ?? -1) || this.completed.get(retailer)?.has(arrival) === true;
  }

  /** Records that the retailer is new, so that its watermark cannot have been lost. */
  begin(retailer: string): void {
    if (!this.known.has(retailer)) this.known.set(retailer, 0);
  }

  /** Forgets the known numbers above the watermark of this retailer, or of all. */
  forget(retailer?: string): void {
    if (retailer === undefined) this.completed.clear();
    else this.completed.delete(retailer);
  }

  /** Reads the watermarks that exist, and adopts them. */
  async read(retailers: readonly string[]): Promise<Map<string, WatermarkDocument>> {
    const found = await this.options.collection
      .find({ _id: { $in: [...retailers] } }, { signal: databaseTimeout() })
      .toArray();
    for (const watermark of found) this.adopt(watermark);
    return new Map(found.map((watermark) => [watermark._id, watermark]));
  }

  /** Reads watermarks and adopts them. Those that do not exist are created. */
  async readOrCreate(retailers: readonly string[]): Promise<Map<string, WatermarkDocument>> {
    const found = await this.read(retailers);
    const missing = retailers.filter((retailer) => !found.has(retailer));
    for (const retailer of missing) {
      const upTo = await this.options.initial(retailer, this.known.get(retailer));
      const watermark = { upTo, rev: 0, created_at: new Date((this.options.now ?? Date.now)()) };
      await this.options.collection.updateOne(
        { _id: retailer },
        { $setOnInsert: watermark },
        { upsert: true },
      );
    }
    return missing.length === 0 ? found : this.read(retailers);
  }

  /** Moves the watermarks over the numbers added so far. Never rejects: what could not be saved is saved next time. */
  save(): Promise<void> {
    this.saving = this.saving
      .then(() => this.move())
      .catch((error: unknown) => {
        this.options.log.warn('could not save watermarks', {
          collection: this.options.collection.collectionName,
          error,
        });
      });
    return this.saving;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.save();
  }

  /**
   * Moves each watermark up to the next gap. Numbers above a gap are kept in `completedRanges` until the watermark
   * passes them, so it advances regardless of the number of processes that share it.
   */
  private async move(): Promise<void> {
    let open = [...this.completed.keys()];
    for (let attempt = 0; open.length > 0 && attempt < attemptsMax; attempt++) {
      const found = await this.readOrCreate(open);
      const moves = [...found.values()].flatMap((before) => {
        const after = advanced(before, this.completed.get(before._id)?.all ?? []);
        return after ? [{ before, after }] : [];
      });
      if (moves.length === 0) return;
      const { matchedCount } = await this.options.collection.bulkWrite(
        moves.map(({ before, after: { _id, ...fields } }) => ({
          updateOne: {
            filter: { _id, rev: before.rev },
            update: fields.completedRanges
              ? { $set: fields }
              : { $set: fields, $unset: { completedRanges: 1 } },
          },
        })),
        { ordered: false },
      );
      open = matchedCount === moves.length ? [] : moves.map(({ after }) => after._id);
      if (open.length === 0) for (const { after } of moves) this.adopt(after);
    }
  }

  private adopt({ _id: retailer, upTo, completedRanges = [] }: WatermarkDocument): void {
    this.known.set(retailer, Math.max(upTo, this.known.get(retailer) ?? 0));
    for (const { from, to } of completedRanges) this.add(retailer, from, to);
    const ranges = this.completed.get(retailer);
    ranges?.dropUpTo(upTo);
    if (ranges && !ranges.lowest) this.completed.delete(retailer);
  }
}

/** Undefined if the watermark already covers everything. */
function advanced(before: WatermarkDocument, done: readonly NumberRange[]): WatermarkDocument | undefined {
  const ranges = new NumberRanges();
  for (const { from, to } of [...(before.completedRanges ?? []), ...done]) ranges.add(from, to);
  ranges.dropUpTo(before.upTo);
  const { lowest } = ranges;
  const upTo = lowest?.from === before.upTo + 1 ? lowest.to : before.upTo;
  ranges.dropUpTo(upTo);
  const above = ranges.all;
  if (upTo === before.upTo && isSame(above, before.completedRanges ?? [])) return undefined;
  return { _id: before._id, upTo, rev: before.rev + 1, ...(above.length > 0 && { completedRanges: above }) };
}

function isSame(some: readonly NumberRange[], others: readonly NumberRange[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ from, to }, i) => from === others[i]?.from && to === others[i].to)
  );
}
