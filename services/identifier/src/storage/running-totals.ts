import { newId } from '@receipts/kernel';
import { isDuplicateKey } from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { Totals } from '../domain/identifier';
import { withShares } from '../domain/running-totals';
import type { ReceiptShare } from '../domain/receipt-share';

/**
 * The totals of a consumer with very many receipts, such as the address that a till puts where nobody gave one: adding
 * up all of them for each new one would take longer from day to day. It lies among the shares that it sums up, so that
 * whoever deletes those deletes it too.
 */
export interface RunningTotalsDocument {
  readonly _id: string;
  /** Another one after each replacement. */
  readonly change: string;
  /** Null until they were added up for the first time. */
  readonly totals: readonly Totals[] | null;
}

/** Whose totals. */
export interface Consumer {
  readonly retailer: string;
  readonly identifier: string;
}

/** The documents of consumers as they were before a write of shares. */
export type Known = ReadonlyMap<string, RunningTotalsDocument>;

/** From so many receipts on a consumer's totals are kept. */
export const keptFromReceipts = 256;
const rememberedMax = 10_000;
const triesMax = 20;

const idOf = ({ retailer, identifier }: Consumer) => `totals ${retailer} ${identifier}`;

/**
 * Keeps the totals right by one rule: whoever changes shares replaces the totals of their consumers afterwards, by
 * compare-and-set. Shares that were added are added to what was known before they were written, if that is still there;
 * everything else is added up anew from what the document said before the adding up began.
 */
export class RunningTotals {
  /** Consumers that had a document lately. */
  private readonly remembered = new Set<string>();

  constructor(
    private readonly collection: Collection<RunningTotalsDocument>,
    private readonly addUp: (consumer: Consumer, signal: AbortSignal) => Promise<readonly Totals[]>,
  ) {}

  /** What is known of consumers before their shares are written. It costs nothing for those that have no document. */
  async before(consumers: readonly Consumer[], signal: AbortSignal): Promise<Known> {
    return this.find(
      consumers.filter((consumer) => this.remembered.has(idOf(consumer))),
      signal,
    );
  }

  /**
   * Brings the totals up to date after a write.
   * @param added By consumer, where the write was nothing but the first shares of so many receipts.
   */
  async after(
    consumers: readonly Consumer[],
    before: Known,
    added: (consumer: Consumer) => readonly ReceiptShare[] | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const now = await this.find(consumers, signal);
    for (const consumer of consumers) {
      const current = now.get(idOf(consumer));
      if (!current) continue;
      const shares = added(consumer);
      const base = before.get(idOf(consumer));
      const isBase = base?.change === current.change && current.totals !== null;
      if (shares && isBase && (await this.replace(current, withShares(current.totals, shares), signal)))
        continue;
      await this.renew(consumer, signal);
    }
  }

  /** The totals of those that have some. */
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

  /** From now on the totals of a consumer are kept. */
  async keep(consumer: Consumer, signal: AbortSignal): Promise<void> {
    try {
      await this.collection.insertOne({ _id: idOf(consumer), change: newId(), totals: null }, { signal });
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
    }
    await this.renew(consumer, signal);
  }

  async forget(consumers: readonly Consumer[], signal: AbortSignal): Promise<void> {
    if (consumers.length === 0) return;
    await this.collection.deleteMany({ _id: { $in: consumers.map(idOf) } }, { signal });
  }

  /** Adds up anew, until nobody else was quicker. */
  private async renew(consumer: Consumer, signal: AbortSignal): Promise<void> {
    for (let tries = 0; tries < triesMax; tries++) {
      const current = await this.collection.findOne({ _id: idOf(consumer) }, { signal });
      if (!current || (await this.replace(current, await this.addUp(consumer, signal), signal))) return;
    }
    // Others write all the time. What they add up has what is written here; without a document it is added up anew.
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

  private async find(consumers: readonly Consumer[], signal: AbortSignal): Promise<Known> {
    if (consumers.length === 0) return new Map();
    const ids = consumers.map(idOf);
    const found = await this.collection.find({ _id: { $in: ids } }, { signal }).toArray();
    for (const { _id } of found) this.remembered.add(_id);
    if (this.remembered.size > rememberedMax) this.remembered.clear();
    return new Map(found.map((document) => [document._id, document]));
  }
}
