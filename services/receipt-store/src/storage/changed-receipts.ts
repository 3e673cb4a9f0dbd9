import type { Collection } from 'mongodb';
import { majorityRead } from '@receipts/storage';
import type { TimeLimit } from '@receipts/kernel';
import type { ChangePosition } from '../domain/change-cursor';
import { isReceipt, receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';
import type { PublishedReceipt } from './published-events';

/** A receipt in its current state; a deleted receipt has no text. */
export type ChangedReceipt = Pick<ReceiptDocument, '_id' | 'arrival' | 'version'> & {
  readonly text?: string;
  readonly created?: { readonly at: Date; readonly confinedTo?: readonly string[] };
  readonly changed_at?: Date;
};

type ReceiptOfConsumer = Pick<ReceiptDocument, '_id' | 'arrival' | 'text'>;

/** The same fields without the receipt's text, but with the ids of its published events. */
export type PublishedChange = Pick<ChangedReceipt, '_id' | 'arrival' | 'version' | 'changed_at'> &
  Pick<PublishedReceipt, 'created' | 'published' | 'text'>;

const position = { arrival: 1, version: 1, changed_at: 1, 'created.at': 1 } as const;
/** The selected fields: the receipt, or only the ids of its events. */
const projections = {
  receipts: { ...position, text: 1, 'created.confinedTo': 1 },
  published: { ...position, 'created.event': 1, 'created.checkFailed': 1, 'published.id': 1 },
} as const;

/** The two representations of changes. */
export interface Wanted {
  readonly receipts: ChangedReceipt;
  readonly published: PublishedChange;
}

/** Reads a retailer's receipts in order of arrival and in order of change. */
export class ChangedReceipts {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  async arrivedAfter<W extends keyof Wanted>(
    wanted: W,
    retailer: string,
    arrival: number,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<Wanted[W][]> {
    const found = await this.collection
      .find<Wanted[W]>(
        { retailer, arrival: { $gt: arrival } },
        {
          projection: projections[wanted],
          sort: { arrival: 1 },
          limit: count,
          hint: receiptIndexes.arrival.name,
          ...majorityRead(timeLimit),
        },
      )
      .toArray();
    return found;
  }

  async changedAfter<W extends keyof Wanted>(
    wanted: W,
    retailer: string,
    { at, id }: ChangePosition,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<Wanted[W][]> {
    const changed_at = new Date(at);
    const found = await this.collection
      .find<Wanted[W]>(
        {
          retailer,
          changed_at: { $gte: changed_at },
          $or: [{ changed_at: { $gt: changed_at } }, { _id: { $gt: id } }],
        },
        {
          projection: projections[wanted],
          sort: { changed_at: 1, _id: 1 },
          limit: count,
          hint: receiptIndexes.changes.name,
          ...majorityRead(timeLimit),
        },
      )
      .toArray();
    return found;
  }

  /** The receipts with these ids, with the data needed to publish their events again. */
  async withPublished(
    retailer: string,
    ids: readonly string[],
    timeLimit: TimeLimit,
  ): Promise<PublishedReceipt[]> {
    const found = await this.collection
      .find<PublishedReceipt>(
        { _id: { $in: [...ids] }, retailer },
        { projection: { search: 0 }, ...majorityRead(timeLimit) },
      )
      .toArray();
    return found;
  }

  /** The receipts of a consumer, oldest first. */
  async ofConsumer(
    retailer: string,
    identifier: string,
    after: number,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<ReceiptOfConsumer[]> {
    const found = await this.collection
      .find<ReceiptOfConsumer>(
        { retailer, identifier, arrival: { $gt: after }, ...isReceipt },
        {
          projection: { arrival: 1, text: 1 },
          sort: { arrival: 1 },
          limit: count,
          hint: receiptIndexes.consumer.name,
          ...majorityRead(timeLimit),
        },
      )
      .toArray();
    return found;
  }
}
