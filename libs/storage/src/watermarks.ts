import type { Collection } from 'mongodb';
import { NumberRanges, type NumberRange } from './number-ranges';

/** The high-water watermark of a retailer: the numbers whose events have been published, by any process. */
export interface WatermarkDocument {
  /** The retailer. */
  readonly _id: string;
  /** All numbers up to and including this one are done. */
  readonly upTo: number;
  /**
   * Ranges above `upTo` that are done, in ascending order; other processes are working on the gaps. Absent
   * when empty.
   */
  readonly completedRanges?: readonly NumberRange[];
  /** Revision for compare-and-set, incremented by each write. */
  readonly rev: number;
  /** When this document was created: with the retailer's first number, or after the watermark was lost. */
  readonly created_at?: Date;
}

/** Processes that write the same watermark concurrently retry. What still fails is written with the next move. */
const attemptsMax = 5;

/** The watermarks of one collection. They only increase, and never past a number that is not done. */
export class Watermarks {
  /**
   * @param initialWatermark the watermark of a retailer without one: of a new retailer, or of one whose watermark was lost
   */
  constructor(
    private readonly collection: Collection<WatermarkDocument>,
    private readonly initialWatermark: (retailer: string) => Promise<number>,
    private readonly now: () => number = Date.now,
  ) {}

  async read(retailers: readonly string[]): Promise<Map<string, WatermarkDocument>> {
    const watermarks = await this.find(retailers);
    const missing = retailers.filter((retailer) => !watermarks.has(retailer));
    if (missing.length === 0) return watermarks;
    for (const retailer of missing) {
      const upTo = await this.initialWatermark(retailer);
      const watermark = { upTo, rev: 0, created_at: new Date(this.now()) };
      await this.collection.updateOne({ _id: retailer }, { $setOnInsert: watermark }, { upsert: true });
    }
    return this.find(retailers);
  }

  /**
   * Writes what is done, and moves each watermark up to the next gap. Numbers above a gap are kept in `completedRanges`
   * until the watermark passes them, so the watermark advances however many processes share a retailer's order. Returns
   * the watermarks after the move.
   */
  async move(done: ReadonlyMap<string, readonly NumberRange[]>): Promise<Map<string, WatermarkDocument>> {
    const watermarks = new Map<string, WatermarkDocument>();
    let open = [...done.keys()];
    for (let attempt = 0; open.length > 0 && attempt < attemptsMax; attempt++) {
      const found = await this.read(open);
      for (const [retailer, watermark] of found) watermarks.set(retailer, watermark);
      const moves = [...found.values()].flatMap((watermark) =>
        advance(watermark, done.get(watermark._id) ?? []),
      );
      if (moves.length === 0) return watermarks;
      const { matchedCount } = await this.collection.bulkWrite(
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
      if (open.length === 0) for (const { after } of moves) watermarks.set(after._id, after);
    }
    return watermarks;
  }

  private async find(retailers: readonly string[]): Promise<Map<string, WatermarkDocument>> {
    const documents = await this.collection.find({ _id: { $in: [...retailers] } }).toArray();
    return new Map(documents.map((watermark) => [watermark._id, watermark]));
  }
}

interface Move {
  readonly before: WatermarkDocument;
  readonly after: WatermarkDocument;
}

/** Empty when the watermark already covers everything. */
function advance(before: WatermarkDocument, done: readonly NumberRange[]): Move[] {
  const ranges = new NumberRanges();
  for (const { from, to } of [...(before.completedRanges ?? []), ...done]) ranges.add(from, to);
  ranges.dropUpTo(before.upTo);
  const { lowest } = ranges;
  const upTo = lowest?.from === before.upTo + 1 ? lowest.to : before.upTo;
  ranges.dropUpTo(upTo);
  const above = ranges.all;
  if (upTo === before.upTo && sameRanges(above, before.completedRanges ?? [])) return [];
  const rev = before.rev + 1;
  return [
    { before, after: { _id: before._id, upTo, rev, ...(above.length > 0 && { completedRanges: above }) } },
  ];
}

function sameRanges(some: readonly NumberRange[], others: readonly NumberRange[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ from, to }, i) => from === others[i]?.from && to === others[i].to)
  );
}
