import {
  isDuplicateKey,
  writeErrorsByIndex,
  type CollectionDeclaration,
  type Database,
  type CursorDocument,
} from '@receipts/storage';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Totals } from '../domain/identifier';
import { newestShares, type ReceiptShare } from '../domain/receipt-share';
import { keptFromReceipts, RunningTotals, type Consumer, type RunningTotalsDocument } from './running-totals';

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

/**
 * The positions up to which receipts were caught up. They are stored with the shares, so that deleting the collection
 * makes the service read all receipts again.
 */
export const cursorsAmongShares = ({ db }: Database) => db.collection<CursorDocument>(sharesDeclaration.name);

interface Group extends Omit<Totals, 'currency'> {
  readonly _id: { readonly identifier: string; readonly currency: string };
}

/** What each receipt adds to the summary of its consumer. */
export class Shares {
  private readonly running: RunningTotals;

  constructor(private readonly collection: Collection<ShareDocument>) {
    this.running = new RunningTotals(
      collection as unknown as Collection<RunningTotalsDocument>,
      async ({ retailer, identifier }, signal) =>
        (await this.addUp(retailer, [identifier], signal)).get(identifier) ?? [],
    );
  }

  /** Saves those that are newer than the stored ones. */
  async keep(shares: readonly ReceiptShare[], signal: AbortSignal): Promise<void> {
    let open: readonly ReceiptShare[] = newestShares(shares);
    while (open.length > 0) open = await this.keepWhatIsNewer(open, signal);
  }

  /** Returns those that another process has written between the read and the write. */
  private async keepWhatIsNewer(
    shares: readonly ReceiptShare[],
    signal: AbortSignal,
  ): Promise<readonly ReceiptShare[]> {
    const found = await this.found(shares, signal);
    const consumers = consumersOf([...shares, ...found.values()]);
    const before = await this.running.before(consumers, signal);
    // If this process crashed after the write, the previous consumers of the receipts would be unknown.
    await this.running.forget(consumersOf([...found.values()]), signal);

    const newer = shares.filter(({ receiptId, version }) => (found.get(receiptId)?.version ?? 0) < version);
    const { added, overtaken } = await this.write(newer, found, signal);
    await this.running.after(
      consumers,
      before,
      (consumer) => addedTo(consumer, shares, added, found),
      signal,
    );
    return overtaken;
  }

  /** The stored shares of receipts that are not new: they may belong to another consumer. */
  private async found(
    shares: readonly ReceiptShare[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ShareDocument>> {
    const ids = shares.filter(({ version }) => version > 1).map(({ receiptId }) => receiptId);
    if (ids.length === 0) return new Map();
    const documents = await this.collection.find({ _id: { $in: ids } }, { signal }).toArray();
    return new Map(documents.map((document) => [document._id, document]));
  }

  private async write(
    shares: readonly ReceiptShare[],
    found: ReadonlyMap<string, ShareDocument>,
    signal: AbortSignal,
  ): Promise<{ readonly added: ReadonlySet<ReceiptShare>; readonly overtaken: readonly ReceiptShare[] }> {
    const operations: AnyBulkWriteOperation<ShareDocument>[] = shares.map(({ receiptId, ...share }) => {
      // The first version of a receipt replaces nothing, so no stored share need be read.
      if (share.version === 1) return { insertOne: { document: { _id: receiptId, ...share } } };
      const version = found.get(receiptId)?.version;
      return version === undefined
        ? {
            updateOne: {
              filter: { _id: receiptId, version: { $lt: share.version } },
              update: { $set: share },
              upsert: true,
            },
          }
        : { updateOne: { filter: { _id: receiptId, version }, update: { $set: share } } };
    });
    if (operations.length === 0) return { added: new Set(), overtaken: [] };
    const revised = shares.filter(({ version }) => version > 1);
    try {
      const { upsertedIds, insertedCount, matchedCount, upsertedCount } = await this.collection.bulkWrite(
        operations,
        { ordered: false, signal },
      );
      const added = new Set(shares.filter(({ version }, index) => version === 1 || index in upsertedIds));
      const written = insertedCount + matchedCount + upsertedCount;
      return { added, overtaken: written < shares.length ? revised : [] };
    } catch (error) {
      const failures = writeErrorsByIndex(error);
      if (!failures || ![...failures.values()].every((failure) => isDuplicateKey(failure, '_id_')))
        throw error;
      // The first version of a receipt replaces nothing: a stored share is the same or newer.
      return { added: new Set(), overtaken: revised };
    }
  }

  /** The totals of several identifiers of a retailer, one per currency; identifiers without receipts are absent. */
  async totals(
    retailer: string,
    identifiers: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly Totals[]>> {
    const kept = await this.running.of(
      identifiers.map((identifier) => ({ retailer, identifier })),
      signal,
    );
    const others = identifiers.filter((identifier) => !kept.has(identifier));
    if (others.length === 0) return kept;
    const totals = await this.addUp(retailer, others, signal);
    for (const [identifier, own] of totals) {
      const receipts = own.reduce((sum, one) => sum + one.receipts, 0);
      if (receipts >= keptFromReceipts) await this.running.keep({ retailer, identifier }, signal);
    }
    return new Map([...kept, ...totals]);
  }

  private async addUp(
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

  /** Removes the consumer from their shares. The versions stay, so that earlier events have no effect. */
  async forget(retailer: string, identifier: string, signal: AbortSignal): Promise<void> {
    await this.collection.updateMany({ retailer, identifier }, { $set: { identifier: null } }, { signal });
    await this.running.forget([{ retailer, identifier }], signal);
  }
}

const isOf = (share: Pick<ReceiptShare, 'retailer' | 'identifier'>, { retailer, identifier }: Consumer) =>
  share.retailer === retailer && share.identifier === identifier;

/** What a write added for a consumer, if it only added shares. */
function addedTo(
  consumer: Consumer,
  shares: readonly ReceiptShare[],
  added: ReadonlySet<ReceiptShare>,
  found: ReadonlyMap<string, ShareDocument>,
): readonly ReceiptShare[] | undefined {
  const own = shares.filter((share) => isOf(share, consumer));
  const isOnlyAdded = own.every((share) => added.has(share));
  return isOnlyAdded && ![...found.values()].some((share) => isOf(share, consumer)) ? own : undefined;
}

/** Each consumer once. */
function consumersOf(shares: readonly Pick<ReceiptShare, 'retailer' | 'identifier'>[]): readonly Consumer[] {
  const consumers = new Map<string, Consumer>();
  for (const { retailer, identifier } of shares) {
    if (identifier !== null) consumers.set(`${retailer} ${identifier}`, { retailer, identifier });
  }
  return [...consumers.values()];
}
