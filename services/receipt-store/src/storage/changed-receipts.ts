import type { Collection } from 'mongodb';
import { deadlineSignal, guarded } from '@receipts/storage';
import type { ChangePlace } from '../domain/change-cursor';
import { inPresentForm } from '../domain/receipt-form';
import { isReceipt, receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';

/** A receipt as it is after whatever happened to it; without a text it was deleted. */
export type ChangedReceipt = Pick<ReceiptDocument, '_id' | 'seq' | 'version'> & {
  readonly text?: string;
  readonly form?: number;
  readonly created?: { readonly at: Date; readonly confinedTo?: readonly string[] };
  readonly changed_at?: Date;
};

type ReceiptOfConsumer = Pick<ReceiptDocument, '_id' | 'seq' | 'text' | 'form'>;

interface TimeLimit {
  readonly deadline: number;
}

const projection = {
  seq: 1,
  version: 1,
  text: 1,
  form: 1,
  changed_at: 1,
  'created.at': 1,
  'created.confinedTo': 1,
} as const;
const readConcern = 'majority';

/** Reads a retailer's receipts in the order in which they arrived and changed. */
export class ChangedReceipts {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  async arrivedAfter(
    retailer: string,
    seq: number,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<ChangedReceipt[]> {
    const found = await guarded(() =>
      this.collection
        .find<ChangedReceipt>(
          { retailer, seq: { $gt: seq }, version: { $gt: 0 } },
          {
            projection,
            sort: { seq: 1 },
            limit: count,
            hint: receiptIndexes.arrival.name,
            readConcern,
            signal: deadlineSignal(timeLimit),
          },
        )
        .toArray(),
    );
    return found.map(inPresentForm);
  }

  async changedAfter(
    retailer: string,
    { at, id }: ChangePlace,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<ChangedReceipt[]> {
    const changed_at = new Date(at);
    const found = await guarded(() =>
      this.collection
        .find<ChangedReceipt>(
          {
            retailer,
            changed_at: { $gte: changed_at },
            $or: [{ changed_at: { $gt: changed_at } }, { _id: { $gt: id } }],
          },
          {
            projection,
            sort: { changed_at: 1, _id: 1 },
            limit: count,
            hint: receiptIndexes.changes.name,
            readConcern,
            signal: deadlineSignal(timeLimit),
          },
        )
        .toArray(),
    );
    return found.map(inPresentForm);
  }

  /** The receipts of a consumer, oldest first. */
  async ofConsumer(
    retailer: string,
    identifier: string,
    after: number,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<ReceiptOfConsumer[]> {
    const found = await guarded(() =>
      this.collection
        .find<ReceiptOfConsumer>(
          { retailer, identifier, seq: { $gt: after }, ...isReceipt },
          {
            projection: { seq: 1, text: 1, form: 1 },
            sort: { seq: 1 },
            limit: count,
            hint: receiptIndexes.consumer.name,
            readConcern,
            signal: deadlineSignal(timeLimit),
          },
        )
        .toArray(),
    );
    return found.map(inPresentForm);
  }
}
