import type { Collection, Filter } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { deadlineSignal, withStorageErrors } from '@receipts/storage';
import { inPresentForm } from '../domain/receipt-form';
import { isReceipt, receiptIndexes, type StoredReceipt } from './receipt-document';
import type { ListedReceipt } from './receipts';

export interface ExportFilter {
  /** Epoch milliseconds, half-open. */
  readonly from: number;
  readonly to: number;
  readonly storeKeys: readonly string[] | undefined;
}

/** The range of the order of arrival to read: after the first position, up to the last. */
interface Places {
  readonly above: number;
  readonly upTo: number;
}

const time = 'search.s.ts';
const timeIndex = 'search_timestamp';
const readConcern = 'majority';
/** The number of receipts in memory at a time. */
const batchSize = 250;

/** Reads the receipts of a time range in the order of arrival. */
export class ExportedReceipts {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  /**
   * The positions of the first and the last receipt of a time range after a position, for all stores; undefined if
   * there is none. It reads an index only.
   */
  async placesOf(
    retailer: string,
    { from, to }: ExportFilter,
    above: number,
    timeLimit: TimeLimit,
  ): Promise<{ readonly first: number; readonly last: number } | undefined> {
    const pipeline = [
      { $match: { retailer, [time]: { $gte: from, $lt: to }, seq: { $gt: above } } },
      { $group: { _id: null, first: { $min: '$seq' }, last: { $max: '$seq' } } },
    ];
    const options = { hint: timeIndex, readConcern, signal: deadlineSignal(timeLimit) } as const;
    const [found] = await withStorageErrors(() =>
      this.collection.aggregate<{ first: number; last: number }>(pipeline, options).toArray(),
    );
    return found;
  }

  /**
   * Passes on receipts until there are no more, or until one is not accepted.
   * @param take returns false if it is the last to be taken
   * @returns true if there are no more
   */
  async read(
    retailer: string,
    { from, to, storeKeys }: ExportFilter,
    { above, upTo }: Places,
    timeLimit: TimeLimit,
    take: (receipt: ListedReceipt) => boolean,
  ): Promise<boolean> {
    const filter = {
      retailer,
      ...(storeKeys && { store_key: { $in: [...storeKeys] } }),
      seq: { $gt: above, $lte: upTo },
      [time]: { $gte: from, $lt: to },
      ...isReceipt,
    } as Filter<StoredReceipt>;
    const cursor = this.collection.find<ListedReceipt>(filter, {
      projection: { seq: 1, text: 1, form: 1 },
      sort: { seq: 1 },
      hint: storeKeys ? receiptIndexes.store.name : receiptIndexes.arrival.name,
      batchSize,
      readConcern,
      signal: deadlineSignal(timeLimit),
    });
    return withStorageErrors(async () => {
      // Leaving the loop closes the cursor.
      for await (const receipt of cursor) if (!take(inPresentForm(receipt))) return false;
      return true;
    });
  }
}
