import type { Collection, Filter } from 'mongodb';
import { deadlineSignal } from '@receipts/storage';
import type { StoredReceipt } from './receipt-document';

/** The index of the times stated in receipts, also used by searches. */
const hint = 'search_timestamp';
const time = 'search.s.ts';

/** Finds receipts by the times stated in them. */
export class OldReceipts {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  async find(
    retailer: string,
    before: Date,
    count: number,
    timeLimit: { readonly deadline: number },
  ): Promise<readonly string[]> {
    const range = { $gte: -Number.MAX_VALUE, $lt: before.getTime() };
    const filter = { retailer, [time]: range } as Filter<StoredReceipt>;
    const options = { projection: { _id: 1 }, limit: count, hint, signal: deadlineSignal(timeLimit) };
    const found = await this.collection.find(filter, options).toArray();
    return found.map(({ _id }) => _id);
  }
}
