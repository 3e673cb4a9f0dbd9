import type { Collection, Filter } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { deadlineSignal, majorityRead } from '@receipts/storage';
import { isReceipt, receiptIndexes, type StoredReceipt } from './receipt-document';
import type { ExportRange } from '../domain/export-cursor';
import { readRaw } from './raw-receipt';
import type { ListedReceipt } from './receipts';

interface Timed {
  readonly arrival: number;
  readonly search?: { readonly numbers?: { readonly ts?: number } };
}

/** The range of the order of arrival to read: after the first position, up to and including the last. */
interface PositionRange {
  readonly above: number;
  readonly upTo: number;
}

const time = 'search.numbers.ts';
const timeIndex = 'search_timestamp';
/** The number of receipts in memory at a time. */
const batchSize = 250;
/** The maximum time for reading a time range of the index, which has a key for each receipt. */
const positionsTimeoutMs = 25_000;

/** Finds receipts by the times stated in them. */
export class ReceiptsByTime {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  /**
   * The positions of the first and the last receipt of a time range after a position, for all stores; undefined if
   * there is none.
   */
  async positionRangeOf(
    retailer: string,
    { from, to }: ExportRange,
    above: number,
    timeLimit: TimeLimit,
  ): Promise<{ readonly first: number; readonly last: number } | undefined> {
    const [first, last] = await Promise.all([
      this.receiptAtEnd(retailer, above, 1, timeLimit),
      this.receiptAtEnd(retailer, above, -1, timeLimit),
    ]);
    if (!first || !last) return undefined;
    const isInRange = ({ search }: Timed) => {
      const at = search?.numbers?.ts;
      return at !== undefined && at >= from && at < to;
    };
    // The range often extends to the present, and a resumed download starts within it.
    if (isInRange(first) && isInRange(last)) return { first: first.arrival, last: last.arrival };
    const pipeline = [
      { $match: { retailer, [time]: { $gte: from, $lt: to }, arrival: { $gt: above } } },
      { $group: { _id: null, first: { $min: '$arrival' }, last: { $max: '$arrival' } } },
    ];
    const options = {
      hint: timeIndex,
      readConcern: 'majority',
      signal: deadlineSignal(timeLimit, Date.now(), positionsTimeoutMs),
      socketTimeoutMS: positionsTimeoutMs,
    } as const;
    const [found] = await this.collection
      .aggregate<{ first: number; last: number }>(pipeline, options)
      .toArray();
    return found;
  }

  /** The receipt that arrived first or last after a position. */
  private receiptAtEnd(
    retailer: string,
    above: number,
    direction: 1 | -1,
    timeLimit: TimeLimit,
  ): Promise<Timed | null> {
    const filter: Filter<StoredReceipt> = { retailer, arrival: { $gt: above } };
    return this.collection.findOne<Timed>(filter, {
      projection: { _id: 0, arrival: 1, [time]: 1 },
      sort: { arrival: direction },
      hint: receiptIndexes.arrival.name,
      ...majorityRead(timeLimit),
    });
  }

  /**
   * Passes the receipts in a time range to `take`, in order of arrival, until there are no more, or until it returns false.
   * @param take returns false for the last receipt to be read
   * @returns true if there are no more
   */
  async read(
    retailer: string,
    { from, to, storeKeys }: ExportRange,
    { above, upTo }: PositionRange,
    timeLimit: TimeLimit,
    take: (receipt: ListedReceipt) => boolean,
  ): Promise<boolean> {
    const filter = {
      retailer,
      ...(storeKeys && { store_key: { $in: [...storeKeys] } }),
      arrival: { $gt: above, $lte: upTo },
      [time]: { $gte: from, $lt: to },
      ...isReceipt,
    } as Filter<StoredReceipt>;
    const cursor = this.collection.find<Uint8Array>(filter, {
      raw: true,
      projection: { arrival: 1, text: 1 },
      sort: { arrival: 1 },
      hint: storeKeys ? receiptIndexes.store.name : receiptIndexes.arrival.name,
      batchSize,
      ...majorityRead(timeLimit),
    });
    // Leaving the loop closes the cursor.
    for await (const raw of cursor) if (!take(readRaw(raw))) return false;
    return true;
  }
}
