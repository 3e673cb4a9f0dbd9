import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** Exists for receipts whose consumer was erased or that were deleted. */
export interface ReceiptErasureDocument {
  /** The retailer and receipt ids. */
  readonly _id: string;
  readonly retailer: string;
  readonly receiptId: string;
  readonly times: number;
  readonly at: Date;
  /** Set if the receipt was deleted. */
  readonly isDeleted?: true;
  /** Set once everything of the deleted receipt has been removed. */
  readonly deletionHandled?: true;
}

/** Longer than this service can use data that it read from a receipt before its erasure. */
const keptSeconds = 30 * 24 * 60 * 60;

export const receiptErasuresDeclaration: CollectionDeclaration = {
  name: 'receipt_erasures',
  indexes: [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: keptSeconds }],
};

const idOf = (retailer: string, receiptId: string) => `${retailer}|${receiptId}`;

export type ReceiptErasure = Pick<ReceiptErasureDocument, 'times' | 'isDeleted'>;

/**
 * The number of erasures of receipts' consumers. Code that adds a delivery reads the count before it reads the receipt,
 * and again after it has added the delivery. If the count has changed, the address must not be kept. An
 * erasure increments the count before it looks for deliveries, so that either the erasure sees the delivery, or the
 * sender sees the erasure.
 */
export class ReceiptErasures {
  constructor(private readonly collection: Collection<ReceiptErasureDocument>) {}

  async count(
    retailer: string,
    receiptIds: readonly string[],
    { at, isDeleted }: { readonly at: Date; readonly isDeleted: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const change = { at, ...(isDeleted && { isDeleted: true as const }) };
    const counted = receiptIds.map((receiptId) => ({
      updateOne: {
        filter: { _id: idOf(retailer, receiptId) },
        update: { $setOnInsert: { retailer, receiptId }, $set: change, $inc: { times: 1 } },
        upsert: true,
      },
    }));
    if (counted.length > 0) await this.collection.bulkWrite(counted, { ordered: false, signal });
  }

  async deletionsHandled(
    retailer: string,
    receiptIds: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const _id = { $in: receiptIds.map((id) => idOf(retailer, id)) };
    await this.collection.updateMany({ _id }, { $set: { deletionHandled: true } }, { signal });
  }

  /** Those of the receipts whose deletion has been handled. */
  async withDeletionHandled(
    retailer: string,
    receiptIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const filter = {
      _id: { $in: receiptIds.map((id) => idOf(retailer, id)) },
      deletionHandled: true as const,
    };
    const found = await this.collection.find(filter, { projection: { receiptId: 1 }, signal }).toArray();
    return new Set(found.map(({ receiptId }) => receiptId));
  }

  async find(retailer: string, receiptId: string, signal: AbortSignal): Promise<ReceiptErasure> {
    return (await this.collection.findOne({ _id: idOf(retailer, receiptId) }, { signal })) ?? { times: 0 };
  }
}
