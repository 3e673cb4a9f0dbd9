import type { Collection } from 'mongodb';
import type { SearchDocument } from '@receipts/search-language';
import { deadlineSignal } from '@receipts/storage';
import type { TimeLimit } from '@receipts/kernel';
import { isReceipt, receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';

/** A stored receipt with its current search document. */
export type FoundBy = Pick<ReceiptDocument, '_id' | 'arrival' | 'version' | 'text' | 'store_key' | 'search'>;

const projection = { arrival: 1, version: 1, text: 1, store_key: 1, search: 1 } as const;

/** A receipt with its rewritten search document. */
export interface Reindexed {
  readonly receipt: FoundBy;
  readonly search: SearchDocument;
}

/** Reads and replaces the search documents of stored receipts. */
export class SearchDocuments {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  /** The receipts after a position, in order of arrival. */
  async after(retailer: string, arrival: number, count: number, timeLimit: TimeLimit): Promise<FoundBy[]> {
    const options = {
      projection,
      sort: { arrival: 1 },
      limit: count,
      hint: receiptIndexes.arrival.name,
      signal: deadlineSignal(timeLimit),
    } as const;
    return this.collection
      .find<FoundBy>({ retailer, arrival: { $gt: arrival }, ...isReceipt }, options)
      .toArray();
  }

  /**
   * Replaces search documents, except those of receipts that have changed in the meantime, because the change has
   * written a current search document.
   */
  async replace(receipts: readonly Reindexed[], timeLimit: TimeLimit): Promise<void> {
    if (receipts.length === 0) return;
    const operations = receipts.map(({ receipt: { _id, version }, search }) => ({
      updateOne: {
        filter: { _id, version },
        update: { $set: { search } },
      },
    }));
    await this.collection.bulkWrite(operations, {
      ordered: false,
      signal: deadlineSignal(timeLimit),
    });
  }
}
