import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import { isDuplicateKey, type CollectionDeclaration, type MarkDocument } from '@receipts/storage';
import { receiptIndexes, type StoredReceipt } from './receipt-document';

/** What earlier versions kept for each retailer: they handed out numbers before they wrote the receipts. */
export interface OldOrder {
  /** The retailer. */
  readonly _id: string;
  /** The first number that was never handed out. */
  readonly next: number;
}

export const oldOrderCollection: CollectionDeclaration = { name: 'sequences', indexes: [] };

/**
 * Takes over orders of arrival of earlier versions. Links may lead to numbers that were handed out and never filled, so
 * new receipts must come after all of them: a tombstone stands at the last one, unless a receipt does. The events of the old
 * receipts stood in their outboxes, so the mark of published ones begins behind them. May run in several processes at once, but no process of an earlier version may still write.
 */
export async function takeOverOldOrders(
  receipts: Collection<StoredReceipt>,
  marks: Collection<MarkDocument>,
  orders: Collection<OldOrder>,
): Promise<void> {
  for await (const { _id: retailer, next } of orders.find()) {
    try {
      if (next > 1) await receipts.insertOne({ _id: newId(), retailer, seq: next - 1, version: 0 });
    } catch (error) {
      if (!isDuplicateKey(error, receiptIndexes.arrival.name)) throw error;
    }
    await marks.updateOne({ _id: retailer }, { $setOnInsert: { upTo: next - 1 } }, { upsert: true });
    await orders.deleteOne({ _id: retailer });
  }
}
