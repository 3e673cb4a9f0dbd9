import { isDuplicateKey, writeErrorsByIndex, type CollectionDeclaration } from '@receipts/storage';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Totals } from '../domain/identifier';
import { newestShares, type ReceiptShare } from '../domain/receipt-share';

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

interface Group extends Omit<Totals, 'currency'> {
  readonly _id: { readonly identifier: string; readonly currency: string };
}

/** What each receipt adds to the summary of its consumer. */
export class Shares {
  constructor(private readonly collection: Collection<ShareDocument>) {}

  /** Keeps those that are newer than what is there. */
  async keep(shares: readonly ReceiptShare[], signal: AbortSignal): Promise<void> {
    const newest = newestShares(shares);
    const occupied = await this.write(newest, true, signal);
    // Either something newer is there, or another process has just inserted something older at the same time.
    if (occupied.length > 0) await this.write(occupied, false, signal);
  }

  /** Gives those whose document appeared between the look and the insert, or is not older. */
  private async write(
    shares: readonly ReceiptShare[],
    upsert: boolean,
    signal: AbortSignal,
  ): Promise<readonly ReceiptShare[]> {
    if (shares.length === 0) return [];
    const operations: AnyBulkWriteOperation<ShareDocument>[] = shares.map(({ receiptId, ...share }) => ({
      updateOne: {
        filter: { _id: receiptId, version: { $lt: share.version } },
        update: { $set: share },
        upsert,
      },
    }));
    try {
      await this.collection.bulkWrite(operations, { ordered: false, signal });
      return [];
    } catch (error) {
      const failures = writeErrorsByIndex(error);
      if (!failures || ![...failures.values()].every((failure) => isDuplicateKey(failure, '_id_')))
        throw error;
      return shares.filter((_share, index) => failures.has(index));
    }
  }

  /** The totals of several identifiers of a retailer, one for each currency; those without a receipt are absent. */
  async totals(
    retailer: string,
    identifiers: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly Totals[]>> {
    const pipeline = [
      { $match: { retailer, identifier: { $in: identifiers }, counted: true } },
      {
        $group: {
          _id: { identifier: '$identifier', currency: '$currency' },
          receipts: { $sum: 1 },
          total: { $sum: '$total' },
          first: { $min: '$timestamp' },
          last: { $max: '$timestamp' },
        },
      },
    ];
    const groups = await this.collection.aggregate<Group>(pipeline, { signal }).toArray();
    const totals = new Map<string, Totals[]>();
    for (const { _id, ...rest } of groups) {
      const known = totals.get(_id.identifier) ?? [];
      known.push({ ...rest, currency: _id.currency });
      totals.set(_id.identifier, known);
    }
    return totals;
  }

  /** Makes what a consumer bought nobody's. The versions stay, so that news from before change nothing. */
  async forget(retailer: string, identifier: string, signal: AbortSignal): Promise<void> {
    await this.collection.updateMany({ retailer, identifier }, { $set: { identifier: null } }, { signal });
  }
}
