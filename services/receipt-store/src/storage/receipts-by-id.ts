import { groupBy, oncePerTurn } from '@receipts/concurrency';
import { majorityRead } from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { readRaw, type WithTextBytes } from './raw-receipt';
import type { DeletedReceipt, ReceiptDocument, StoredReceipt } from './receipt-document';

export type FoundReceipt = WithTextBytes<
  Pick<ReceiptDocument, '_id' | 'arrival' | 'version' | 'identifier' | 'store_key' | 'origin' | 'text'>
>;

/** What is read of a deleted receipt. */
export type FoundDeletion = Pick<DeletedReceipt, 'arrival' | 'deleted_at'>;

type Found = FoundReceipt | FoundDeletion;

interface Wanted {
  readonly retailer: string;
  readonly id: string;
  readonly deadline: number;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The maximum number of receipts that one command reads. */
const idsAtOnceMax = 64;
const projection = { arrival: 1, version: 1, identifier: 1, store_key: 1, origin: 1, text: 1, deleted_at: 1 };

/**
 * Reads receipts by their ids. Reads within one turn of the event loop are merged into one command per retailer,
 * because most of the cost of a command does not depend on the number of receipts.
 */
export class ReceiptsById {
  private wanted: Wanted[] = [];
  private readonly schedule = oncePerTurn(() => this.readAll());

  constructor(private readonly collection: Collection<StoredReceipt>) {}

  /** A receipt of the retailer, or the position of a deleted one. */
  find(
    retailer: string,
    id: string,
    { deadline }: { readonly deadline: number },
  ): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      this.wanted.push({ retailer, id, deadline, resolve, reject });
      this.schedule();
    });
  }

  private readAll(): void {
    const byRetailer = groupBy(this.wanted, ({ retailer }) => retailer);
    this.wanted = [];
    for (const [retailer, wanted] of byRetailer) {
      for (let from = 0; from < wanted.length; from += idsAtOnceMax)
        void this.read(retailer, wanted.slice(from, from + idsAtOnceMax));
    }
  }

  /** Never rejects: errors are passed to the waiting callers. */
  private async read(retailer: string, wanted: readonly Wanted[]): Promise<void> {
    const ids = [...new Set(wanted.map(({ id }) => id))];
    const _id = ids.length === 1 ? ids[0] : { $in: ids };
    const filter = { _id, retailer } as Filter<StoredReceipt>;
    try {
      const found = await this.collection
        .find<Uint8Array>(filter, { raw: true, projection, ...majorityRead(wanted) })
        .toArray();
      const receipts = found.map((raw) => readRaw<Found & Pick<StoredReceipt, '_id'>>(raw));
      const byId = new Map(receipts.map((receipt) => [receipt._id, receipt]));
      for (const { id, resolve } of wanted) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }
}
