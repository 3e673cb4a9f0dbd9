import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import { isDuplicateKey, type MarkDocument, type Migration } from '@receipts/storage';
import { eventMarksCollection } from './arrivals';
import { receiptCollection, receiptIndexes, type StoredReceipt } from './receipt-document';

/** What earlier releases kept for each retailer: they handed out numbers before they wrote the receipts. */
interface OldOrder {
  /** The retailer. */
  readonly _id: string;
  /** The first number that was never handed out. */
  readonly next: number;
}

/**
 * Takes over orders of arrival of earlier releases. Links may lead to numbers that were handed out and never filled, so
 * new receipts must come after all of them: a tombstone stands at the last one, unless a receipt does. The events of the old
 * receipts stood in their outboxes, so the mark of published ones begins behind them. No process of a release that hands out
 * numbers may still write.
 */
export const oldOrders: Migration = {
  name: 'orders of arrival',
  async open(store) {
    const receipts = await store.collection<StoredReceipt>(receiptCollection);
    const marks = await store.collection<MarkDocument>(eventMarksCollection);
    const orders = await store.collection<OldOrder>({ name: 'sequences', indexes: [] });
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
