import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { appendNumbered, deadlineSignal, majorityRead } from '@receipts/storage';
import type { SaleHistory } from '../domain/sale-changes';
import { receiptIndexes, type StoredReceipt } from '../../storage/receipt-document';
import { totalsChangeIndexes, type TotalsChange } from './totals-documents';

interface ChangedSale {
  readonly _id: string;
  readonly version: number;
  readonly sale_history: SaleHistory;
}

const receiptsAtOnce = 200;

/**
 * Numbers the changes to receipts. A change is recorded in its receipt by the write that makes it, and then moved here:
 * inserted with the receipt's id and version as key, so that a retry inserts nothing, and only then removed from the
 * receipt.
 */
export class TotalsChanges {
  constructor(
    private readonly receipts: Collection<StoredReceipt>,
    private readonly changes: Collection<TotalsChange>,
  ) {}

  /** Numbers all changes that were recorded before this call. */
  async number(retailer: string, timeLimit: TimeLimit): Promise<void> {
    for (;;) {
      const found = await this.pending(retailer, timeLimit);
      if (found.length === 0) return;
      await this.insert(retailer, found, timeLimit);
      await this.release(found, timeLimit);
      if (found.length < receiptsAtOnce) return;
    }
  }

  /** The last number; 0 if there is none. */
  async last(retailer: string, timeLimit: TimeLimit): Promise<number> {
    const options = {
      projection: { _id: 0, n: 1 },
      sort: { n: -1 },
      hint: totalsChangeIndexes.order.name,
      ...majorityRead(timeLimit),
    } as const;
    const found = await this.changes.findOne({ retailer }, options);
    return found?.n ?? 0;
  }

  after(retailer: string, n: number, count: number, timeLimit: TimeLimit): Promise<TotalsChange[]> {
    const options = {
      sort: { n: 1 },
      limit: count,
      hint: totalsChangeIndexes.order.name,
      ...majorityRead(timeLimit),
    } as const;
    return this.changes.find({ retailer, n: { $gt: n } }, options).toArray();
  }

  private pending(retailer: string, timeLimit: TimeLimit): Promise<ChangedSale[]> {
    return this.receipts
      .find<ChangedSale>(
        { retailer, 'sale_history.pending': { $exists: true } },
        {
          projection: { version: 1, sale_history: 1 },
          sort: { arrival: 1 },
          limit: receiptsAtOnce,
          hint: receiptIndexes.saleChanges.name,
          ...majorityRead(timeLimit),
        },
      )
      .toArray();
  }

  private async insert(retailer: string, found: readonly ChangedSale[], timeLimit: TimeLimit): Promise<void> {
    const documents = found.flatMap(({ _id, sale_history: { pending = [] } }) =>
      pending.map(({ version, before, after }) => ({ _id: `${_id}|${version}`, retailer, before, after })),
    );
    await appendNumbered({
      collection: this.changes,
      documents,
      numberField: 'n',
      indexName: totalsChangeIndexes.order.name,
      last: () => this.last(retailer, timeLimit),
      signal: () => deadlineSignal(timeLimit),
    });
  }

  /** A receipt that has changed in the meantime keeps its changes until the next run. */
  private async release(found: readonly ChangedSale[], timeLimit: TimeLimit): Promise<void> {
    const operations = found.map(({ _id, version }) => ({
      updateOne: { filter: { _id, version }, update: { $unset: { 'sale_history.pending': '' } } },
    })) as unknown as AnyBulkWriteOperation<StoredReceipt>[];
    await this.receipts.bulkWrite(operations, { ordered: false, signal: deadlineSignal(timeLimit) });
  }
}
