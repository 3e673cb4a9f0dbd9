import type { Collection } from 'mongodb';
import { NumberRanges, type NumberRange } from './number-ranges';

/** The high-water mark of a retailer: the numbers whose events have been published, by any process. */
export interface MarkDocument {
  /** The retailer. */
  readonly _id: string;
  /** All numbers up to and including this one are done. */
  readonly upTo: number;
  /**
   * Ranges above `upTo` that are done, in ascending order; other processes are working on the gaps. Absent
   * when empty.
   */
  readonly above?: readonly NumberRange[];
  /** Revision for compare-and-set, incremented by each write. */
  readonly rev: number;
  /** When this document was created: with the retailer's first number, or after the mark was lost. */
  readonly created_at?: Date;
}

/** Processes that write the same mark concurrently retry. What still fails is written with the next move. */
const attemptsMax = 5;

/** The marks of one collection. They only increase, and never past a number that is not done. */
export class Marks {
  /**
   * @param firstMark the mark of a retailer without one: of a new retailer, or of one whose mark was lost
   */
  constructor(
    private readonly collection: Collection<MarkDocument>,
    private readonly firstMark: (retailer: string) => Promise<number>,
    private readonly now: () => number = Date.now,
  ) {}

  async read(retailers: readonly string[]): Promise<Map<string, MarkDocument>> {
    const marks = await this.find(retailers);
    const missing = retailers.filter((retailer) => !marks.has(retailer));
    if (missing.length === 0) return marks;
    for (const retailer of missing) {
      const upTo = await this.firstMark(retailer);
      const mark = { upTo, rev: 0, created_at: new Date(this.now()) };
      await this.collection.updateOne({ _id: retailer }, { $setOnInsert: mark }, { upsert: true });
    }
    return this.find(retailers);
  }

  /**
   * Writes what is done, and moves each mark up to the next gap. Numbers above a gap are kept in `above`
   * until the mark passes them, so the mark advances however many processes share a retailer's order. Returns
   * the marks after the move.
   */
  async move(done: ReadonlyMap<string, readonly NumberRange[]>): Promise<Map<string, MarkDocument>> {
    const marks = new Map<string, MarkDocument>();
    let open = [...done.keys()];
    for (let attempt = 0; open.length > 0 && attempt < attemptsMax; attempt++) {
      const found = await this.read(open);
      for (const [retailer, mark] of found) marks.set(retailer, mark);
      const moves = [...found.values()].flatMap((mark) => moved(mark, done.get(mark._id) ?? []));
      if (moves.length === 0) return marks;
      const { matchedCount } = await this.collection.bulkWrite(
        moves.map(({ before, after: { _id, ...fields } }) => ({
          updateOne: {
            filter: { _id, rev: before.rev },
            update: fields.above ? { $set: fields } : { $set: fields, $unset: { above: 1 } },
          },
        })),
        { ordered: false },
      );
      open = matchedCount === moves.length ? [] : moves.map(({ after }) => after._id);
      if (open.length === 0) for (const { after } of moves) marks.set(after._id, after);
    }
    return marks;
  }

  private async find(retailers: readonly string[]): Promise<Map<string, MarkDocument>> {
    const documents = await this.collection.find({ _id: { $in: [...retailers] } }).toArray();
    return new Map(documents.map((mark) => [mark._id, mark]));
  }
}

interface Move {
  readonly before: MarkDocument;
  readonly after: MarkDocument;
}

/** Empty when the mark already covers everything. */
function moved(before: MarkDocument, done: readonly NumberRange[]): Move[] {
  const ranges = new NumberRanges();
  for (const { from, to } of [...(before.above ?? []), ...done]) ranges.add(from, to);
  ranges.dropUpTo(before.upTo);
  const { lowest } = ranges;
  const upTo = lowest?.from === before.upTo + 1 ? lowest.to : before.upTo;
  ranges.dropUpTo(upTo);
  const above = ranges.all;
  if (upTo === before.upTo && sameRanges(above, before.above ?? [])) return [];
  const rev = before.rev + 1;
  return [{ before, after: { _id: before._id, upTo, rev, ...(above.length > 0 && { above }) } }];
}

function sameRanges(some: readonly NumberRange[], others: readonly NumberRange[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ from, to }, i) => from === others[i]?.from && to === others[i].to)
  );
}
