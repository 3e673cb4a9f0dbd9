import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** Exists only for receipts whose links were revoked; all others are in generation 0. */
export interface ReceiptLinkDocument {
  /** The retailer and receipt ids. */
  readonly _id: string;
  readonly retailer: string;
  readonly receiptId: string;
  readonly generation: number;
  /** The call that revoked the previous links. */
  readonly revokedBy?: string;
}

export const receiptLinksDeclaration: CollectionDeclaration = { name: 'receipt_links', indexes: [] };

const idOf = (retailer: string, receiptId: string) => `${retailer}|${receiptId}`;

export class ReceiptLinkGenerations {
  constructor(private readonly collection: Collection<ReceiptLinkDocument>) {}

  async current(retailer: string, receiptId: string, signal: AbortSignal): Promise<number> {
    const found = await this.collection.findOne({ _id: idOf(retailer, receiptId) }, { signal });
    return found?.generation ?? 0;
  }

  /** Invalidates all links issued before; repeating the same call has no effect. */
  async next(retailer: string, receiptId: string, callId: string, signal: AbortSignal): Promise<number> {
    const _id = idOf(retailer, receiptId);
    await this.collection.updateOne(
      { _id },
      { $setOnInsert: { retailer, receiptId, generation: 0 } },
      { upsert: true, signal },
    );
    const changed = await this.collection.findOneAndUpdate(
      { _id, revokedBy: { $ne: callId } },
      { $set: { revokedBy: callId }, $inc: { generation: 1 } },
      { returnDocument: 'after', signal },
    );
    return changed?.generation ?? this.current(retailer, receiptId, signal);
  }
}
