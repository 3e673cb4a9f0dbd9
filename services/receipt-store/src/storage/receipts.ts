import type { Collection, Filter } from 'mongodb';
import { deadlineSignal, majorityRead } from '@receipts/storage';
import { groupBy } from '@receipts/concurrency';
import { type TimeLimit } from '@receipts/kernel';
import {
  isReceipt,
  receiptIndexes,
  type Creation,
  type ReceiptDocument,
  type StoredReceipt,
} from './receipt-document';
import { readRaw, type WithTextBytes } from './raw-receipt';
import { ReceiptsById, type FoundDeletion, type FoundReceipt } from './receipts-by-id';

/** The unique ids of a receipt. */
export type ReceiptIds = Pick<
  ReceiptDocument,
  '_id' | 'retailer' | 'transaction_id' | 'external_id' | 'idem'
>;

/** The stored receipt that shares an id with a new receipt. */
export type TakenReceipt = ReceiptIds &
  Pick<ReceiptDocument, 'origin'> & { readonly created?: Pick<Creation, 'cause'> };

/**
 * The filters of a list, and the receipts that the reader may see. Each array contains alternatives; an absent array
 * means no restriction.
 */
export interface ReceiptFilter {
  readonly consumers?: readonly string[] | undefined;
  readonly storeKeys?: readonly string[] | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly transactionIds?: readonly string[] | undefined;
}

/** A range of arrival positions, and the end from which receipts are read. */
export interface ArrivalRange {
  readonly above: number;
  readonly upTo: number;
  readonly from: 'newest' | 'oldest';
  readonly count: number;
}

export type LastPosition = Pick<StoredReceipt, 'arrival' | 'may_be_awaited'>;

export type ListedReceipt = WithTextBytes<Pick<ReceiptDocument, '_id' | 'arrival' | 'text'>>;

/** The index for a filter. With it, a page reads only as many keys as it has receipts. */
function indexOf({ consumers, storeKeys, ids, transactionIds }: ReceiptFilter): string {
  if (ids) return '_id_';
  if (transactionIds) return receiptIndexes.transactionId.name;
  if (consumers) return storeKeys ? receiptIndexes.consumerStore.name : receiptIndexes.consumer.name;
  return storeKeys ? receiptIndexes.store.name : receiptIndexes.arrival.name;
}

const asksForNone = ({ consumers, storeKeys, ids, transactionIds }: ReceiptFilter) =>
  [consumers, storeKeys, ids, transactionIds].some((alternatives) => alternatives?.length === 0);

/** Every branch has its own index. */
function sharingAnId(retailer: string, receipts: readonly ReceiptIds[]): Filter<StoredReceipt> {
  const externalIds = receipts.flatMap(({ external_id: external }) => external ?? []);
  const keys = receipts.flatMap(({ idem }) => idem?.key ?? []);
  return {
    $or: [
      { retailer, _id: { $in: receipts.map(({ _id }) => _id) } },
      { retailer, transaction_id: { $in: receipts.map(({ transaction_id }) => transaction_id) } },
      ...(externalIds.length > 0 ? [{ retailer, external_id: { $in: externalIds } }] : []),
      ...(keys.length > 0 ? [{ retailer, 'idem.key': { $in: keys } }] : []),
    ],
  };
}

export class Receipts {
  private readonly byId: ReceiptsById;

  constructor(private readonly collection: Collection<StoredReceipt>) {
    this.byId = new ReceiptsById(collection);
  }

  /** A receipt of the retailer, or the position of a deleted one. */
  find(
    retailer: string,
    id: string,
    timeLimit: TimeLimit,
  ): Promise<FoundReceipt | FoundDeletion | undefined> {
    return this.byId.find(retailer, id, timeLimit);
  }

  /**
   * Finds a receipt with this attachment.
   * @param consumers the consumers, one of whom must own the receipt; undefined for no restriction
   */
  async findIdByAttachment(
    retailer: string,
    attachment: string,
    consumers: readonly string[] | undefined,
    timeLimit: TimeLimit,
  ): Promise<string | undefined> {
    const filter: Filter<StoredReceipt> = {
      retailer,
      attachments: attachment,
      ...(consumers && { identifier: { $in: [...consumers] } }),
    };
    const options = { projection: { _id: 1 }, hint: receiptIndexes.attachment.name };
    const found = await this.collection.findOne(filter, { ...options, signal: deadlineSignal(timeLimit) });
    return found?._id;
  }

  /** The ids of at most `count` receipts that arrived before a time, whatever their own time is. */
  async arrivedBefore(
    retailer: string,
    end: Date,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<readonly string[]> {
    const options = { projection: { _id: 1 }, limit: count, hint: receiptIndexes.creation.name } as const;
    const found = await this.collection
      .find({ retailer, 'created.at': { $lt: end } }, { ...options, signal: deadlineSignal(timeLimit) })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** For each of these receipts, the stored receipt that shares one of its ids. */
  async findTaken(
    receipts: readonly ReceiptIds[],
    timeLimit: TimeLimit,
  ): Promise<readonly (TakenReceipt | undefined)[]> {
    const projection = {
      retailer: 1,
      transaction_id: 1,
      external_id: 1,
      origin: 1,
      idem: 1,
      'created.cause': 1,
    };
    const options = { projection, ...majorityRead(timeLimit) };
    const groups = await Promise.all(
      [...groupBy(receipts, ({ retailer }) => retailer)].map(([retailer, group]) =>
        this.collection.find<TakenReceipt>(sharingAnId(retailer, group), options).toArray(),
      ),
    );
    const taken = groups.flat();
    return receipts.map((receipt) => {
      const own = taken.filter(({ retailer }) => retailer === receipt.retailer);
      return (
        own.find(({ idem }) => idem !== undefined && idem.key === receipt.idem?.key) ??
        own.find(({ _id }) => _id === receipt._id) ??
        own.find(({ transaction_id }) => transaction_id === receipt.transaction_id) ??
        own.find(({ external_id }) => external_id !== undefined && external_id === receipt.external_id)
      );
    });
  }

  /** Removes an expired idempotency key from the receipt that has it. */
  async releaseKey({ _id, retailer, idem }: TakenReceipt, timeLimit: TimeLimit): Promise<void> {
    const filter = { _id, retailer, 'idem.at': idem?.at } as Filter<StoredReceipt>;
    const signal = deadlineSignal(timeLimit);
    await this.collection.updateOne(filter, { $unset: { idem: '' } }, { signal });
  }

  /**
   * The last number of a retailer's order of arrival, 0 if there is none. All receipts acknowledged before this call
   * have this number or a lower one; later receipts have higher numbers. Writers may continue from this number: if
   * another writer has used the next number, but a majority does not have it yet, the insert fails as a duplicate, and
   * by the time it fails, a majority has that number.
   */
  async lastNumber(retailer: string, timeLimit: TimeLimit): Promise<number> {
    const last = await this.findLast(retailer, { arrival: 1 }, timeLimit);
    return last?.arrival ?? 0;
  }

  /** The fields that a writer needs from the last receipt, whether or not that receipt is deleted. */
  async lastPosition(retailer: string, timeLimit: TimeLimit): Promise<LastPosition> {
    return (await this.findLast(retailer, { arrival: 1, may_be_awaited: 1 }, timeLimit)) ?? { arrival: 0 };
  }

  private findLast(
    retailer: string,
    fields: Partial<Record<keyof LastPosition, 1>>,
    timeLimit: TimeLimit,
  ): Promise<LastPosition | null> {
    return this.collection.findOne<LastPosition>(
      { retailer },
      {
        projection: { _id: 0, ...fields },
        sort: { arrival: -1 },
        hint: receiptIndexes.arrival.name,
        ...majorityRead(timeLimit),
      },
    );
  }

  /**
   * The ids of the receipts with these numbers, including deleted receipts. Number 0 stands for the start of the order.
   */
  async idsAt(
    retailer: string,
    arrivals: readonly number[],
    timeLimit: TimeLimit,
  ): Promise<ReadonlyMap<number, string>> {
    const found = await this.collection
      .find<Pick<StoredReceipt, '_id' | 'arrival'>>(
        { retailer, arrival: { $in: [...arrivals] } },
        { projection: { arrival: 1 }, hint: receiptIndexes.arrival.name, ...majorityRead(timeLimit) },
      )
      .toArray();
    return new Map([[0, ''], ...found.map(({ _id, arrival }) => [arrival, _id] as const)]);
  }

  /** The receipts of a range that match the filter, newest first. */
  async list(
    retailer: string,
    filter: ReceiptFilter,
    range: ArrivalRange,
    timeLimit: TimeLimit,
  ): Promise<readonly ListedReceipt[]> {
    const { above, upTo, from, count } = range;
    if (above >= upTo || asksForNone(filter)) return [];
    const { consumers, storeKeys, ids, transactionIds } = filter;
    const query: Filter<StoredReceipt> = {
      retailer,
      ...(ids && { _id: { $in: [...ids] } }),
      ...(transactionIds && { transaction_id: { $in: [...transactionIds] } }),
      ...(consumers && { identifier: { $in: [...consumers] } }),
      ...(storeKeys && { store_key: { $in: [...storeKeys] } }),
      arrival: { $gt: above, $lte: upTo },
      ...isReceipt,
    };
    const found = await this.collection
      .find<Uint8Array>(query, {
        raw: true,
        projection: { arrival: 1, text: 1 },
        sort: { arrival: from === 'newest' ? -1 : 1 },
        limit: count,
        hint: indexOf(filter),
        ...majorityRead(timeLimit),
      })
      .toArray();
    const receipts = found.map((raw) => readRaw<ListedReceipt>(raw));
    return from === 'newest' ? receipts : receipts.reverse();
  }
}
