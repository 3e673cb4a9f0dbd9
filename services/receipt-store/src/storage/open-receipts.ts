import type { Database } from '@receipts/storage';
import { ChangedReceipts } from './changed-receipts';
import { DiscardedRawData } from './discarded-raw-data';
import { receiptCollection, type StoredReceipt } from './receipt-document';
import { ReceiptSearch } from './receipt-search';
import { ReceiptWriter } from './receipt-writer';
import { ReceiptNotes } from './receipt-notes';
import { Receipts } from './receipts';
import { ReceiptsByTime } from './receipts-by-time';
import { RelatedReceipts } from './related-receipts';
import { SearchDocuments } from './search-documents';

/** The collection of receipts, and the components that read and insert them. */
export async function openReceipts(database: Database) {
  const collection = await database.collection<StoredReceipt>(receiptCollection);
  const receipts = new Receipts(collection);
  return {
    collection,
    receipts,
    related: new RelatedReceipts(collection),
    writer: new ReceiptWriter(collection, receipts),
    notes: new ReceiptNotes(collection),
    changed: new ChangedReceipts(collection),
    byTime: new ReceiptsByTime(collection),
    search: new ReceiptSearch(collection),
    discarded: new DiscardedRawData(collection),
    documents: new SearchDocuments(collection),
  };
}
