import {
  isDuplicateKey,
  writeErrorsByIndex,
  type CollectionDeclaration,
  type RebuildMarker,
} from '@receipts/storage';
import { groupBy } from '@receipts/concurrency';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Totals } from '../domain/identifier';
import { newestContributions, type ReceiptContribution } from '../domain/receipt-contribution';
import { totalsOf, type EqualReceipts } from '../domain/running-totals';
import {
  storedFromReceipts,
  RunningTotals,
  type Consumer,
  type RunningTotalsDocument,
} from './running-totals';

export interface ContributionDocument extends Omit<ReceiptContribution, 'receiptId'> {
  /** The id of the receipt. */
  readonly _id: string;
}

export const contributionsDeclaration: CollectionDeclaration = {
  name: 'receipt_contributions',
  indexes: [{ name: 'by_identifier', key: { retailer: 1, identifier: 1, counted: 1 } }],
};

interface Group extends Omit<EqualReceipts, 'currency' | 'total'> {
  readonly _id: { readonly identifier: string; readonly currency: string; readonly total: number };
}

/** No receipt has this id, and no index finds the document by a retailer. */
const markerId = (retailer: string) => `cursor|${retailer}`;

/** Usually all groups, so that they are read with one command. */
const groupsAtOnce = 10_000;

/** The contribution of each receipt to the summary of its consumer. */
export class ReceiptContributions {
  private readonly running: RunningTotals;

  constructor(
    private readonly collection: Collection<ContributionDocument>,
    totals: Collection<RunningTotalsDocument>,
  ) {
    this.running = new RunningTotals(
      totals,
      async ({ retailer, identifier }, signal) =>
        (await this.addUp(retailer, [identifier], signal)).get(identifier) ?? [],
    );
  }

  /** Shows that the collection has not been replaced since the receipts of a retailer were written to it. */
  readonly rebuildMarker: RebuildMarker = {
    isThere: async (retailer) => (await this.collection.findOne({ _id: markerId(retailer) })) !== null,
    put: async (retailer) => {
      // Contributions that return would be added to totals that contain them already.
      await this.running.forgetAll(retailer);
      await this.collection.updateOne(
        { _id: markerId(retailer) },
        { $set: { counted: false } },
        { upsert: true },
      );
    },
  };

  /** Saves the contributions that are newer than the stored contributions. */
  async keep(contributions: readonly ReceiptContribution[], signal: AbortSignal): Promise<void> {
    let open: readonly ReceiptContribution[] = newestContributions(contributions);
    while (open.length > 0) open = await this.storeNewer(open, signal);
  }

  /** Returns the contributions that another process wrote between the read and the write. */
  private async storeNewer(
    contributions: readonly ReceiptContribution[],
    signal: AbortSignal,
  ): Promise<readonly ReceiptContribution[]> {
    const found = await this.found(contributions, signal);
    const consumers = consumersOf([...contributions, ...found.values()]);
    const before = await this.running.before(consumers, signal);
    // Otherwise, if this process crashed after the write, the previous consumers of the receipts would be unknown.
    await this.running.forget(consumersOf([...found.values()]), signal);

    const newer = contributions.filter(
      ({ receiptId, version }) => (found.get(receiptId)?.version ?? 0) < version,
    );
    const { added, overtaken } = await this.write(newer, found, signal);
    await this.running.after(
      consumers,
      before,
      (consumer) => addedTo(consumer, contributions, added, found),
      signal,
    );
    return overtaken;
  }

  /** The stored contributions of receipts that are not new: they may belong to another consumer. */
  private async found(
    contributions: readonly ReceiptContribution[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ContributionDocument>> {
    const ids = contributions.filter(({ version }) => version > 1).map(({ receiptId }) => receiptId);
    if (ids.length === 0) return new Map();
    const documents = await this.collection.find({ _id: { $in: ids } }, { signal }).toArray();
    return new Map(documents.map((document) => [document._id, document]));
  }

  private async write(
    contributions: readonly ReceiptContribution[],
    found: ReadonlyMap<string, ContributionDocument>,
    signal: AbortSignal,
  ): Promise<{
    readonly added: ReadonlySet<ReceiptContribution>;
    readonly overtaken: readonly ReceiptContribution[];
  }> {
    const operations: AnyBulkWriteOperation<ContributionDocument>[] = contributions.map(
      ({ receiptId, ...contribution }) => {
        // The first version of a receipt replaces nothing, so no stored contribution has to be read.
        if (contribution.version === 1)
          return { insertOne: { document: { _id: receiptId, ...contribution } } };
        const version = found.get(receiptId)?.version;
        return version === undefined
          ? {
              updateOne: {
                filter: { _id: receiptId, version: { $lt: contribution.version } },
                update: { $set: contribution },
                upsert: true,
              },
            }
          : { updateOne: { filter: { _id: receiptId, version }, update: { $set: contribution } } };
      },
    );
    if (operations.length === 0) return { added: new Set(), overtaken: [] };
    const revised = contributions.filter(({ version }) => version > 1);
    try {
      const { upsertedIds, insertedCount, matchedCount, upsertedCount } = await this.collection.bulkWrite(
        operations,
        { ordered: false, signal },
      );
      const added = new Set(
        contributions.filter(({ version }, index) => version === 1 || index in upsertedIds),
      );
      const written = insertedCount + matchedCount + upsertedCount;
      return { added, overtaken: written < contributions.length ? revised : [] };
    } catch (error) {
      const failures = writeErrorsByIndex(error);
      if (!failures || ![...failures.values()].every((failure) => isDuplicateKey(failure, '_id_')))
        throw error;
      // The first version of a receipt replaces nothing: a stored contribution is the same or newer.
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
      if (receipts >= storedFromReceipts) await this.running.keep({ retailer, identifier }, signal);
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
          _id: { identifier: '$identifier', currency: '$currency', total: '$total' },
          receipts: { $sum: 1 },
          first: { $min: '$timestamp' },
          last: { $max: '$timestamp' },
        },
      },
    ];
    // The database adds doubles, which is not exact, so it only counts the receipts with the same total.
    const options = { batchSize: groupsAtOnce, signal };
    const groups = await this.collection.aggregate<Group>(pipeline, options).toArray();
    const receipts = groups.map(({ _id, ...rest }) => ({ ..._id, ...rest }));
    const byIdentifier = groupBy(receipts, ({ identifier: owner }) => owner);
    return new Map(
      [...byIdentifier].map(([owner, own]) => [
        owner,
        totalsOf(own.map(({ identifier: _owner, ...equal }) => equal)),
      ]),
    );
  }

  /** Removes the consumer from their contributions. The versions are kept, so that earlier events have no effect. */
  async forget(retailer: string, identifier: string, signal: AbortSignal): Promise<void> {
    await this.collection.updateMany({ retailer, identifier }, { $set: { identifier: null } }, { signal });
    await this.running.forget([{ retailer, identifier }], signal);
  }
}

const isOf = (
  contribution: Pick<ReceiptContribution, 'retailer' | 'identifier'>,
  { retailer, identifier }: Consumer,
) => contribution.retailer === retailer && contribution.identifier === identifier;

/** The amounts that a write added for a consumer, if it only added contributions. */
function addedTo(
  consumer: Consumer,
  contributions: readonly ReceiptContribution[],
  added: ReadonlySet<ReceiptContribution>,
  found: ReadonlyMap<string, ContributionDocument>,
): readonly ReceiptContribution[] | undefined {
  const own = contributions.filter((contribution) => isOf(contribution, consumer));
  const isOnlyAdded = own.every((contribution) => added.has(contribution));
  return isOnlyAdded && ![...found.values()].some((contribution) => isOf(contribution, consumer))
    ? own
    : undefined;
}

/** Each consumer is listed once. */
function consumersOf(
  contributions: readonly Pick<ReceiptContribution, 'retailer' | 'identifier'>[],
): readonly Consumer[] {
  const consumers = new Map<string, Consumer>();
  for (const { retailer, identifier } of contributions) {
    if (identifier !== null) consumers.set(`${retailer} ${identifier}`, { retailer, identifier });
  }
  return [...consumers.values()];
}
