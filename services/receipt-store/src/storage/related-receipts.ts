import type { Collection, Filter } from 'mongodb';
import type { ReturnedReceipt } from '@receipts/contracts';
import type { TimeLimit } from '@receipts/kernel';
import { majorityRead } from '@receipts/storage';
import { isReturnOf, keysOf, waitingKey } from '../domain/related';
import { returnedLines, type ReturnedLine } from '../domain/returnable';
import { isReceipt, receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';

/** Finds receipts that are related to each other. */
export class RelatedReceipts {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  /** The ids of the receipts with these transaction ids, by transaction id. */
  async idsOf(
    retailer: string,
    transactionIds: readonly string[],
    timeLimit: TimeLimit,
  ): Promise<ReadonlyMap<string, string>> {
    if (transactionIds.length === 0) return new Map();
    const filter: Filter<StoredReceipt> = { retailer, transaction_id: { $in: [...transactionIds] } };
    const found = await this.collection
      .find<Pick<StoredReceipt, '_id' | 'transaction_id'>>(filter, {
        projection: { transaction_id: 1 },
        hint: receiptIndexes.transactionId.name,
        ...majorityRead(timeLimit),
      })
      .toArray();
    return new Map(found.map(({ _id, transaction_id }) => [transaction_id, _id]));
  }

  /** The ids of the receipts that are waiting for one of these transactions. */
  async waitingFor(
    retailer: string,
    transactionIds: readonly string[],
    timeLimit: TimeLimit,
  ): Promise<readonly string[]> {
    const filter: Filter<StoredReceipt> = { retailer, related: { $in: transactionIds.map(waitingKey) } };
    const found = await this.collection
      .find<Pick<StoredReceipt, '_id'>>(filter, {
        projection: { _id: 1 },
        hint: receiptIndexes.related.name,
        ...majorityRead(timeLimit),
      })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** The items of a sale that were returned with other receipts. */
  async returnsOf(retailer: string, sale: ReturnedReceipt, timeLimit: TimeLimit): Promise<ReturnedLine[]> {
    const filter: Filter<StoredReceipt> = { retailer, related: { $in: keysOf(sale) }, ...isReceipt };
    const returns: ReturnedLine[] = [];
    const found = this.collection.find<Pick<ReceiptDocument, 'text'>>(filter, {
      projection: { text: 1 },
      hint: receiptIndexes.related.name,
      ...majorityRead(timeLimit),
    });
    for await (const document of found) {
      const receipt = JSON.parse(document.text) as ReturnedReceipt;
      if (isReturnOf(receipt, sale)) returns.push(...returnedLines(receipt.items));
    }
    return returns;
  }
}
