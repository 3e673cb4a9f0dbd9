import { newId } from '@receipts/kernel';
import { isDuplicateKey, type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { Totals } from '../domain/identifier';
import { addContributions } from '../domain/running-totals';
import type { ReceiptContribution } from '../domain/receipt-contribution';

/**
 * The stored totals of a consumer with a large number of receipts, such as a placeholder address that a till uses for
 * unknown consumers. Otherwise, adding up all receipts for each new receipt would take longer and longer.
 */
export interface RunningTotalsDocument {
  readonly _id: string;
  /** Changes with each replacement. */
  readonly change: string;
  /** Null until the contributions have been added up for the first time. */
  readonly totals: readonly Totals[] | null;
}

/** The consumer that the totals belong to. */
export interface Consumer {
  readonly retailer: string;
  readonly identifier: string;
}

/** The documents of consumers before a write of contributions. */
export type StoredTotals = ReadonlyMap<string, RunningTotalsDocument>;

export const runningTotalsDeclaration: CollectionDeclaration = { name: 'running_totals', indexes: [] };

/** Totals are stored for consumers with at least this number of receipts. */
export const storedFromReceipts = 256;
const recentMax = 10_000;
const triesMax = 20;

const idOf = ({ retailer, identifier }: Consumer) => `${retailer} ${identifier}`;

/**
 * Keeps the totals correct by one rule: code that changes contributions replaces the totals of their consumers
 * afterwards, by compare-and-set. New contributions are added to the totals that were read before the write, if these
 * are unchanged. In all other cases the contributions are added up again, on condition that the document has not
 * changed meanwhile.
 */
export class RunningTotals {
  /** Consumers that recently had a document. */
  private readonly recent = new Set<string>();

  constructor(
    private readonly collection: Collection<RunningTotalsDocument>,
    private readonly addUp: (consumer: Consumer, signal: AbortSignal) => Promise<readonly Totals[]>,
  ) {}

  /**
   * Reads the totals of consumers before their contributions are written. This costs nothing for consumers without a
   * document.
   */
  async before(consumers: readonly Consumer[], signal: AbortSignal): Promise<StoredTotals> {
    return this.find(
      consumers.filter((consumer) => this.recent.has(idOf(consumer))),
      signal,
    );
  }

  /**
   * Updates the totals after a write.
   * @param added the amounts by consumer, if the write only added first contributions of these receipts
   */
  async after(
    consumers: readonly Consumer[],
    before: StoredTotals,
    added: (consumer: Consumer) => readonly ReceiptContribution[] | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const others: Consumer[] = [];
    for (const consumer of consumers) {
      const base = before.get(idOf(consumer));
      const contributions = added(consumer);
      if (!base?.totals || !contributions) others.push(consumer);
      // Recompute only if the document was changed or deleted meanwhile.
      else if (!(await this.replace(base, addContributions(base.totals, contributions), signal)))
        await this.recompute(consumer, signal);
    }
    const found = await this.find(others, signal);
    for (const consumer of others) if (found.has(idOf(consumer))) await this.recompute(consumer, signal);
  }

  /** The stored totals. */
  async of(
    consumers: readonly Consumer[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly Totals[]>> {
    const found = await this.find(consumers, signal);
    return new Map(
      consumers.flatMap((consumer) => {
        const totals = found.get(idOf(consumer))?.totals;
        return totals ? [[consumer.identifier, totals] as const] : [];
      }),
    );
  }

  /** Starts storing the totals of a consumer. */
  async keep(consumer: Consumer, signal: AbortSignal): Promise<void> {
    try {
      await this.collection.insertOne({ _id: idOf(consumer), change: newId(), totals: null }, { signal });
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
    }
    await this.recompute(consumer, signal);
  }

  async forget(consumers: readonly Consumer[], signal: AbortSignal): Promise<void> {
    if (consumers.length === 0) return;
    await this.collection.deleteMany({ _id: { $in: consumers.map(idOf) } }, { signal });
  }

  /** Forgets the totals of all consumers of a retailer. The ids of retailers contain no space. */
  async forgetAll(retailer: string): Promise<void> {
    // The range contains all ids with the prefix, because `!` follows the space.
    await this.collection.deleteMany({ _id: { $gte: `${retailer} `, $lt: `${retailer}!` } });
  }

  /** Adds up all contributions again, and retries if another process was faster. */
  private async recompute(consumer: Consumer, signal: AbortSignal): Promise<void> {
    for (let tries = 0; tries < triesMax; tries++) {
      const current = await this.collection.findOne({ _id: idOf(consumer) }, { signal });
      if (!current || (await this.replace(current, await this.addUp(consumer, signal), signal))) return;
    }
    // Other processes wrote during every attempt. Without the document, the next reader adds up all contributions
    // again.
    await this.forget([consumer], signal);
  }

  private async replace(
    { _id, change }: RunningTotalsDocument,
    totals: readonly Totals[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const next = { $set: { change: newId(), totals } };
    return (await this.collection.updateOne({ _id, change }, next, { signal })).modifiedCount === 1;
  }

  private async find(consumers: readonly Consumer[], signal: AbortSignal): Promise<StoredTotals> {
    if (consumers.length === 0) return new Map();
    const ids = consumers.map(idOf);
    const found = await this.collection.find({ _id: { $in: ids } }, { signal }).toArray();
    for (const { _id } of found) this.recent.add(_id);
    if (this.recent.size > recentMax) this.recent.clear();
    return new Map(found.map((document) => [document._id, document]));
  }
}
