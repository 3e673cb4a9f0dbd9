import type { Collection } from 'mongodb';

/** How far the events of a retailer's documents are out: all up to and including this number. */
export interface MarkDocument {
  /** The retailer. */
  readonly _id: string;
  readonly upTo: number;
}

export interface Move {
  readonly retailer: string;
  readonly from: number;
  readonly to: number;
}

/** The marks of one collection. They only ever rise, and never over a number that was not published. */
export class Marks {
  private readonly made = new Set<string>();

  /** @param firstMark what was never to be published by a mark: the last number of an earlier way; 0 for a new retailer */
  constructor(
    private readonly collection: Collection<MarkDocument>,
    private readonly firstMark: (retailer: string) => Promise<number>,
  ) {}

  async read(retailers: readonly string[]): Promise<Map<string, number>> {
    const marks = await this.find(retailers);
    const missing = retailers.filter((retailer) => !marks.has(retailer));
    if (missing.length === 0) return marks;
    for (const retailer of missing) {
      const upTo = await this.firstMark(retailer);
      await this.collection.updateOne({ _id: retailer }, { $setOnInsert: { upTo } }, { upsert: true });
    }
    return this.find(retailers);
  }

  /** Moves each mark that stands right before the range, or within it. Gives the marks as they are afterwards. */
  async move(moves: readonly Move[]): Promise<Map<string, number>> {
    const unknown = moves.map(({ retailer }) => retailer).filter((retailer) => !this.made.has(retailer));
    if (unknown.length > 0) await this.read(unknown);
    const writes = moves.map(({ retailer, from, to }) => ({
      updateOne: {
        filter: { _id: retailer, upTo: { $gte: from - 1, $lt: to } },
        update: { $set: { upTo: to } },
      },
    }));
    await this.collection.bulkWrite(writes, { ordered: false });
    return this.read(moves.map(({ retailer }) => retailer));
  }

  private async find(retailers: readonly string[]): Promise<Map<string, number>> {
    const documents = await this.collection.find({ _id: { $in: [...retailers] } }).toArray();
    for (const { _id } of documents) this.made.add(_id);
    return new Map(documents.map(({ _id, upTo }) => [_id, upTo]));
  }
}
