import { receiptNotesMax } from '@receipts/contracts';
import type { TimeLimit } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { isReceipt, type ReceiptDocument, type ReceiptNote, type StoredReceipt } from './receipt-document';

export type ReceiptHistory = Pick<ReceiptDocument, 'created' | 'published' | 'notes'>;

/** What happened to a receipt, and what staff wrote about it. */
export class ReceiptNotes {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  async history(retailer: string, id: string, timeLimit: TimeLimit): Promise<ReceiptHistory> {
    const projection = { created: 1, published: 1, notes: 1 };
    const filter: Filter<StoredReceipt> = { _id: id, retailer };
    const options = { projection, signal: deadlineSignal(timeLimit) };
    return (await this.collection.findOne<ReceiptHistory>(filter, options)) ?? {};
  }

  /** Does nothing to a deleted receipt. A note is no change of the receipt, so its version stays. */
  async add(retailer: string, id: string, note: ReceiptNote, timeLimit: TimeLimit): Promise<void> {
    const isNew = { 'notes.cause': { $ne: note.cause } };
    const filter = { _id: id, retailer, ...isReceipt, ...isNew } as Filter<StoredReceipt>;
    const $push = { notes: { $each: [note], $slice: -receiptNotesMax } } as never;
    await this.collection.updateOne(filter, { $push }, { signal: deadlineSignal(timeLimit) });
  }
}
