import type { Viewer } from '@receipts/contracts';
import type { SerializedEvent } from '@receipts/kernel';
import {
  isDuplicateKey,
  outboxIndex,
  outboxItem,
  outboxItemsMax,
  pendingFilter,
  type CollectionDeclaration,
  type OutboxRelay,
  type WithOutbox,
} from '@receipts/storage';
import type { Collection } from 'mongodb';

/** The number of views of a receipt, by kind of viewer. */
export interface ReceiptViewsDocument extends WithOutbox {
  /** The retailer and receipt ids. */
  readonly _id: string;
  readonly retailer: string;
  readonly receiptId: string;
  readonly person: number;
  readonly bot: number;
  /** The total number of views. */
  readonly version: number;
  readonly viewedAt: Date;
}

/** Longer than any event can be kept, because `sequence` begins again afterwards. */
const keptSeconds = 400 * 24 * 60 * 60;

export const receiptViewsDeclaration: CollectionDeclaration = {
  name: 'receipt_views',
  indexes: [outboxIndex, { name: 'expiry', key: { viewedAt: 1 }, expireAfterSeconds: keptSeconds }],
};

const roundsMax = 20;

interface View extends Pick<ReceiptViewsDocument, 'retailer' | 'receiptId'> {
  readonly viewer: Viewer;
  readonly at: Date;
}

export class ReceiptViews {
  constructor(
    private readonly collection: Collection<ReceiptViewsDocument>,
    private readonly relay: Pick<OutboxRelay<ReceiptViewsDocument>, 'enqueue'>,
  ) {}

  /**
   * Counts a view and saves its event.
   * @param eventOf called with the count of this kind of viewer, and the total count
   */
  async add(
    { retailer, receiptId, viewer, at }: View,
    eventOf: (views: number, all: number) => SerializedEvent,
    signal: AbortSignal,
  ): Promise<void> {
    const _id = idOf(retailer, receiptId);
    for (let round = 0; round < roundsMax; round++) {
      const found = await this.collection.findOne({ _id }, { signal });
      const before = found ?? { person: 0, bot: 0, version: 0 };
      // While the broker is unavailable, views are counted, but only as many events are kept as a document can hold.
      const isFull = (found?.outbox?.length ?? 0) >= outboxItemsMax;
      const items = isFull ? [] : [outboxItem(eventOf(before[viewer] + 1, before.version + 1))];
      if (found) {
        const counted = {
          $set: { viewedAt: at },
          $inc: { [viewer]: 1, version: 1 },
          $push: { outbox: { $each: items } } as never,
        };
        const { matchedCount } = await this.collection.updateOne({ _id, version: found.version }, counted, {
          signal,
        });
        if (matchedCount === 0) continue;
        this.relay.enqueue([{ _id, items: [...(found.outbox ?? []), ...items] }]);
        return;
      }
      try {
        const counts = { person: 0, bot: 0, [viewer]: 1 };
        await this.collection.insertOne(
          { _id, retailer, receiptId, ...counts, version: 1, viewedAt: at, outbox: items },
          { signal },
        );
        this.relay.enqueue([{ _id, items }]);
        return;
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
      }
    }
    throw new Error('too many concurrent views of the receipt');
  }

  /** Undefined if the receipt was never viewed. */
  async find(
    retailer: string,
    receiptId: string,
    signal: AbortSignal,
  ): Promise<Pick<ReceiptViewsDocument, 'person' | 'viewedAt'> | undefined> {
    const options = { projection: { person: 1, viewedAt: 1 }, signal };
    return (await this.collection.findOne({ _id: idOf(retailer, receiptId) }, options)) ?? undefined;
  }

  /** Removes the counts of deleted receipts. */
  async remove(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<void> {
    const _id = { $in: receiptIds.map((id) => idOf(retailer, id)) };
    await this.collection.deleteMany({ _id }, { signal });
  }

  /** True while views of these receipts have events that have not been published. */
  async hasUnpublishedEvents(
    retailer: string,
    receiptIds: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const filter = { _id: { $in: receiptIds.map((id) => idOf(retailer, id)) }, ...pendingFilter };
    return (await this.collection.findOne(filter, { projection: { _id: 1 }, signal })) !== null;
  }
}

const idOf = (retailer: string, receiptId: string) => `${retailer}|${receiptId}`;
