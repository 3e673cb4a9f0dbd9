import type { Collection, Filter } from 'mongodb';
import { ServiceError, unavailable } from '@receipts/kernel';
import { deadlineSignal, guarded, isDuplicateKey, writeErrorsByIndex } from '@receipts/storage';
import { receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';
import type { Sequencer } from './sequencer';
import type { Watermarks } from './watermarks';

/** A receipt that has no place in the order of arrival yet. */
export type NewReceipt = Omit<ReceiptDocument, 'seq'>;

/** What of a receipt is taken once only. */
export type ReceiptIds = Pick<NewReceipt, '_id' | 'retailer' | 'transaction_id' | 'external_id'>;

/** What became of a receipt that was to be added. */
export type Added = 'added' | 'taken';

/** Which receipts a reader may see and asks for. Lists of alternatives; absent lists ask for nothing. */
export interface ReceiptFilter {
  readonly consumers?: readonly string[] | undefined;
  readonly storeKeys?: readonly string[] | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly transactionIds?: readonly string[] | undefined;
}

/** A stretch of the order of arrival, and from which end to take receipts. */
export interface Stretch {
  readonly above: number;
  readonly upTo: number;
  readonly from: 'newest' | 'oldest';
  readonly count: number;
}

export type ListedReceipt = Pick<ReceiptDocument, 'seq' | 'text'>;
export type FoundReceipt = Pick<
  ReceiptDocument,
  '_id' | 'seq' | 'version' | 'identifier' | 'origin' | 'text'
>;

interface Patience {
  readonly deadline: number;
}

/** A block is fenced only after three seconds, so more than one new place is hardly ever needed. */
const placesMax = 4;

/** The index that serves a filter, so that a page costs as many keys as it has receipts. */
function indexOf({ consumers, storeKeys, ids, transactionIds }: ReceiptFilter): string {
  if (ids) return '_id_';
  if (transactionIds) return receiptIndexes.transactionId.name;
  if (consumers) return storeKeys ? receiptIndexes.consumerStore.name : receiptIndexes.consumer.name;
  return storeKeys ? receiptIndexes.store.name : receiptIndexes.arrival.name;
}

const asksForNone = ({ consumers, storeKeys, ids, transactionIds }: ReceiptFilter) =>
  [consumers, storeKeys, ids, transactionIds].some((alternatives) => alternatives?.length === 0);

/** Every branch has an index of its own. */
function sharingAnId(retailer: string, receipts: readonly ReceiptIds[]): Filter<StoredReceipt> {
  const externalIds = receipts.flatMap(({ external_id: external }) => external ?? []);
  return {
    $or: [
      { retailer, _id: { $in: receipts.map(({ _id }) => _id) } },
      { retailer, transaction_id: { $in: receipts.map(({ transaction_id }) => transaction_id) } },
      ...(externalIds.length > 0 ? [{ retailer, external_id: { $in: externalIds } }] : []),
    ],
  };
}

export class Receipts {
  constructor(
    private readonly collection: Collection<StoredReceipt>,
    private readonly sequencer: Sequencer,
    private readonly watermarks: Watermarks,
  ) {}

  /**
   * Adds receipts of any number of retailers in one bulk write, each at the end of its retailer's order of arrival. Tells
   * for each whether it was added, or whether one of its ids is taken.
   * @throws ServiceError 503 when the outcome is not known
   */
  async add(receipts: readonly NewReceipt[], patience: Patience): Promise<readonly Added[]> {
    const outcomes = new Array<Added>(receipts.length).fill('added');
    let left = [...receipts.keys()];
    for (let place = 0; left.length > 0; place++) {
      if (place === placesMax)
        throw new ServiceError(unavailable, { internal: 'no place in the order held' });
      left = await this.addOnce(receipts, left, outcomes, patience);
    }
    return outcomes;
  }

  /** One receipt of the retailer. */
  async find(retailer: string, id: string, patience: Patience): Promise<FoundReceipt | undefined> {
    const filter = { _id: id, retailer, version: { $gt: 0 } };
    const projection = { seq: 1, version: 1, identifier: 1, origin: 1, text: 1 };
    const found = await guarded(() =>
      this.collection.findOne<FoundReceipt>(filter, { projection, signal: deadlineSignal(patience) }),
    );
    return found ?? undefined;
  }

  /**
   * A receipt that shows an attachment.
   * @param consumers whose it must be; undefined for anybody's
   */
  async findIdByAttachment(
    retailer: string,
    attachment: string,
    consumers: readonly string[] | undefined,
    patience: Patience,
  ): Promise<string | undefined> {
    const filter: Filter<StoredReceipt> = {
      retailer,
      attachments: attachment,
      ...(consumers && { identifier: { $in: [...consumers] } }),
    };
    const options = { projection: { _id: 1 }, hint: receiptIndexes.attachment.name };
    const found = await guarded(() =>
      this.collection.findOne(filter, { ...options, signal: deadlineSignal(patience) }),
    );
    return found?._id;
  }

  /** For each of these, the stored receipt that has one of its ids, whichever id it is. */
  async findTaken(
    receipts: readonly ReceiptIds[],
    patience: Patience,
  ): Promise<readonly (TakenReceipt | undefined)[]> {
    const byRetailer = new Map<string, ReceiptIds[]>();
    for (const receipt of receipts) {
      const group = byRetailer.get(receipt.retailer);
      if (group) group.push(receipt);
      else byRetailer.set(receipt.retailer, [receipt]);
    }
    const projection = { retailer: 1, transaction_id: 1, external_id: 1, origin: 1 };
    const signal = deadlineSignal(patience);
    const groups = await guarded(() =>
      Promise.all(
        [...byRetailer].map(([retailer, group]) =>
          this.collection.find<TakenReceipt>(sharingAnId(retailer, group), { projection, signal }).toArray(),
        ),
      ),
    );
    const taken = groups.flat();
    return receipts.map((receipt) => {
      const own = taken.filter(({ retailer }) => retailer === receipt.retailer);
      return (
        own.find(({ _id }) => _id === receipt._id) ??
        own.find(({ transaction_id }) => transaction_id === receipt.transaction_id) ??
        own.find(({ external_id }) => external_id !== undefined && external_id === receipt.external_id)
      );
    });
  }

  /** See `Watermarks.of`. */
  watermark(retailer: string): Promise<number> {
    return this.watermarks.of(retailer);
  }

  /** The receipts of a stretch that pass the filter, newest first. */
  async list(
    retailer: string,
    filter: ReceiptFilter,
    stretch: Stretch,
    patience: Patience,
  ): Promise<readonly ListedReceipt[]> {
    const { above, upTo, from, count } = stretch;
    if (above >= upTo || asksForNone(filter)) return [];
    const direction = from === 'newest' ? -1 : 1;
    const found = await guarded(() =>
      this.collection
        .find<ListedReceipt>(this.query(retailer, filter, above, upTo), {
          projection: { _id: 0, seq: 1, text: 1 },
          sort: { seq: direction },
          limit: count,
          hint: indexOf(filter),
          signal: deadlineSignal(patience),
        })
        .toArray(),
    );
    return from === 'newest' ? found : found.reverse();
  }

  /** The plan of a list, for the test that holds it to its cost. */
  explain(retailer: string, filter: ReceiptFilter, { above, upTo, from, count }: Stretch) {
    return this.collection
      .find(this.query(retailer, filter, above, upTo), {
        sort: { seq: from === 'newest' ? -1 : 1 },
        limit: count,
        hint: indexOf(filter),
      })
      .explain('executionStats');
  }

  private query(
    retailer: string,
    { consumers, storeKeys, ids, transactionIds }: ReceiptFilter,
    above: number,
    upTo: number,
  ): Filter<StoredReceipt> {
    return {
      retailer,
      ...(ids && { _id: { $in: [...ids] } }),
      ...(transactionIds && { transaction_id: { $in: [...transactionIds] } }),
      ...(consumers && { identifier: { $in: [...consumers] } }),
      ...(storeKeys && { store_key: { $in: [...storeKeys] } }),
      seq: { $gt: above, $lte: upTo },
      version: { $gt: 0 },
    };
  }

  /** Gives those that lost their place to a tombstone and need another one. */
  private async addOnce(
    receipts: readonly NewReceipt[],
    positions: readonly number[],
    outcomes: Added[],
    patience: Patience,
  ): Promise<number[]> {
    const { documents, blocks } = await this.place(receipts, positions, patience);
    let faults: ReturnType<typeof writeErrorsByIndex>;
    try {
      await this.collection.insertMany(documents, { ordered: false, signal: deadlineSignal(patience) });
    } catch (error) {
      faults = writeErrorsByIndex(error);
      // The write may yet happen, so its blocks stay open until they are fenced.
      if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault))) {
        return guarded(() => Promise.reject(error as Error));
      }
    }
    for (const { retailer, token } of blocks) this.sequencer.close(retailer, token);
    const left: number[] = [];
    for (const [at, fault] of faults ?? []) {
      const position = positions[at] as number;
      if (isDuplicateKey(fault, receiptIndexes.arrival.name)) left.push(position);
      else outcomes[position] = 'taken';
    }
    return left;
  }

  /** Takes a block for each retailer and numbers the receipts, in the order of `positions`. */
  private async place(receipts: readonly NewReceipt[], positions: readonly number[], patience: Patience) {
    const counts = new Map<string, number>();
    const chosen = positions.map((position) => receipts[position] as NewReceipt);
    for (const { retailer } of chosen) counts.set(retailer, (counts.get(retailer) ?? 0) + 1);
    const blocks = await Promise.all(
      [...counts].map(async ([retailer, count]) => {
        const { token, from } = await this.sequencer.allot(retailer, count, patience.deadline);
        return { retailer, token, from };
      }),
    );
    const next = new Map(blocks.map(({ retailer, from }) => [retailer, from]));
    const documents = chosen.map((receipt): ReceiptDocument => {
      const seq = next.get(receipt.retailer) as number;
      next.set(receipt.retailer, seq + 1);
      return { ...receipt, seq };
    });
    return { documents, blocks };
  }
}

export interface TakenReceipt {
  readonly _id: string;
  readonly retailer: string;
  readonly transaction_id: string;
  readonly external_id?: string;
  readonly origin: string;
}
