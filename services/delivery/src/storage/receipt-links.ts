import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** Only receipts whose links were revoked have one; all others are in generation 0. */
export interface ReceiptLinkDocument {
  /** Retailer and receipt. */
  readonly _id: string;
  readonly retailer: string;
  readonly receiptId: string;
  readonly generation: number;
}

export const receiptLinksDeclaration: CollectionDeclaration = { name: 'receipt_links', indexes: [] };

const idOf = (retailer: string, receiptId: string) => `${retailer}|${receiptId}`;

export class ReceiptLinkGenerations {
  constructor(private readonly collection: Collection<ReceiptLinkDocument>) {}

  async current(retailer: string, receiptId: string, signal: AbortSignal): Promise<number> {
    const found = await this.collection.findOne({ _id: idOf(retailer, receiptId) }, { signal });
    return found?.generation ?? 0;
  }

  /** Makes all links that were given out lead nowhere. */
  async next(retailer: string, receiptId: string, signal: AbortSignal): Promise<number> {
    const changed = await this.collection.findOneAndUpdate(
      { _id: idOf(retailer, receiptId) },
      { $setOnInsert: { retailer, receiptId }, $inc: { generation: 1 } },
      { upsert: true, returnDocument: 'after', signal },
    );
    return changed?.generation ?? 1;
  }
}
