import { isDuplicateKey, writeErrorsByIndex, type CollectionDeclaration } from '@receipts/storage';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Totals } from '../domain/identifier';
import type { ReceiptShare } from '../domain/receipt-share';

export interface ShareDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly version: number;
  readonly identifier: string | null;
  readonly total: number;
  readonly currency: string;
  readonly timestamp: string;
  readonly counted: boolean;
}

export const sharesDeclaration: CollectionDeclaration = {
  name: 'receipt_shares',
  indexes: [{ name: 'by_identifier', key: { retailer: 1, identifier: 1, counted: 1 } }],
};

/** What each receipt adds to the summary of its consumer. */
export class Shares {
  constructor(private readonly collection: Collection<ShareDocument>) {}

  /** Keeps those that are newer than what is there. */
  async keep(shares: readonly ReceiptShare[], signal: AbortSignal): Promise<void> {
    const operations: AnyBulkWriteOperation<ShareDocument>[] = shares.map(({ receiptId, ...share }) => ({
      updateOne: {
        filter: { _id: receiptId, version: { $lt: share.version } },
        update: { $set: share },
        upsert: true,
      },
    }));
    try {
      await this.collection.bulkWrite(operations, { ordered: false, signal });
    } catch (error) {
      // A version that is not newer finds no document to update and runs into the _id of the one that is there.
      const failures = writeErrorsByIndex(error);
      if (!failures || ![...failures.values()].every((failure) => isDuplicateKey(failure, '_id_')))
        throw error;
    }
  }

  /** The totals of several identifiers of a retailer; those without a receipt are absent. */
  async totals(
    retailer: string,
    identifiers: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Totals>> {
    const pipeline = [
      { $match: { retailer, identifier: { $in: identifiers }, counted: true } },
      { $sort: { timestamp: 1 } },
      {
        $group: {
          _id: '$identifier',
          receipts: { $sum: 1 },
          total: { $sum: '$total' },
          currency: { $last: '$currency' },
          first: { $first: '$timestamp' },
          last: { $last: '$timestamp' },
        },
      },
    ];
    const groups = await this.collection.aggregate<Totals & { _id: string }>(pipeline, { signal }).toArray();
    return new Map(groups.map(({ _id, ...totals }) => [_id, totals]));
  }
}
