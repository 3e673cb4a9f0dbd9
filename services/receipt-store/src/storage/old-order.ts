import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import { isDuplicateKey, type MarkDocument, type Migration } from '@receipts/storage';
import { eventMarksCollection } from './arrivals';
import { receiptCollection, receiptIndexes, type StoredReceipt } from './receipt-document';

/** The counter of earlier releases for each retailer: they allotted numbers before they wrote the receipts. */
interface OldOrder {
  /** The retailer's id. */
  readonly _id: string;
  /** The first number that was never allotted. */
  readonly next: number;
}

/**
 * Migrates the order of arrival of earlier releases. Links may contain numbers that were allotted but never used, so new
 * receipts must come after all of them: if no receipt has the last number, a tombstone is written there. The events of
 * the old receipts are in their outboxes, so the mark of published events is set behind them. While this runs, no process
 * of a release that allots numbers may write.
 */
export const oldOrders: Migration = {
  name: 'orders of arrival',
  async open(database) {
    const receipts = await database.collection<StoredReceipt>(receiptCollection);
    const marks = await database.collection<MarkDocument>(eventMarksCollection);
    const orders = await database.collection<OldOrder>({ name: 'sequences', indexes: [] });
    return async () => {
      for await (const { _id: retailer, next } of orders.find()) {
        await standBehind(receipts, retailer, next - 1);
        await marks.updateOne({ _id: retailer }, { $setOnInsert: { upTo: next - 1 } }, { upsert: true });
        await orders.deleteOne({ _id: retailer });
      }
      return null;
    };
  },
};

async function standBehind(
  receipts: Collection<StoredReceipt>,
  retailer: string,
  seq: number,
): Promise<void> {
  try {
    if (seq > 0) await receipts.insertOne({ _id: newId(), retailer, seq, version: 0 });
  } catch (error) {
    if (!isDuplicateKey(error, receiptIndexes.arrival.name)) throw error;
  }
}
