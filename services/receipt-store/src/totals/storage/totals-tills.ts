import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { deadlineSignal, isDuplicateKey, majorityRead } from '@receipts/storage';
import { tillId, type KnownTill } from '../domain/till';
import { TotalsConflict } from './totals-buckets';
import { totalsIndexes, type TillDocument, type TotalsDocument } from './totals-documents';
import type { Page } from './totals-page';

type Latest = Pick<KnownTill, 'id' | 'storeKey' | 'store' | 'till' | 'receivedAt' | 'soldAt'>;

/** What the arrivals of a page say about their tills: one entry each. */
function latestOf({ arrivals }: Page): Latest[] {
  const latest = new Map<string, Latest>();
  for (const { sale, receivedAt } of arrivals) {
    if (!sale) continue;
    const { storeKey, store, till } = sale.bucket;
    const key = JSON.stringify([storeKey, store, till]);
    const known = latest.get(key);
    const id = known?.id ?? tillId(sale.bucket);
    const last = known && known.receivedAt > receivedAt ? known.receivedAt : receivedAt;
    const soldAt = known?.soldAt && (sale.at === null || known.soldAt > sale.at) ? known.soldAt : sale.at;
    latest.set(key, { id, storeKey, store, till, receivedAt: last, soldAt });
  }
  return [...latest.values()];
}

/**
 * One document for each till of a generation, with the latest times of its receipts. Times only ever move forward, so
 * that it does not matter how often, or in which order, an arrival is added.
 */
export class TotalsTills {
  constructor(private readonly totals: Collection<TotalsDocument>) {}

  /**
   * Adds the arrivals of pages, with one command for all.
   * @throws TotalsConflict if another process has created one of the documents at the same time
   */
  async save(pages: readonly Page[], timeLimit: TimeLimit): Promise<void> {
    const operations = pages.flatMap((page) =>
      latestOf(page).map(({ id, storeKey, store, till, receivedAt, soldAt }) => {
        const { retailer } = page;
        const { generation } = page.from;
        const fixed = {
          retailer,
          generation,
          till: id,
          store: storeKey,
          storeReference: store,
          tillUuid: till,
        };
        const latest = { receivedAt, ...(soldAt !== null && { soldAt }) };
        const update = { $setOnInsert: fixed, $max: latest };
        return {
          updateOne: { filter: { _id: documentIdOf(retailer, generation, id) }, update, upsert: true },
        };
      }),
    ) as unknown as AnyBulkWriteOperation<TotalsDocument>[];
    if (operations.length === 0) return;
    try {
      await this.totals.bulkWrite(operations, { ordered: false, signal: deadlineSignal(timeLimit) });
    } catch (error) {
      throw isDuplicateKey(error) ? new TotalsConflict() : error;
    }
  }

  async find(retailer: string, generation: string, timeLimit: TimeLimit): Promise<KnownTill[]> {
    const filter = {
      retailer,
      generation,
      receivedAt: { $exists: true },
    } as unknown as Filter<TotalsDocument>;
    const found = await this.totals
      .find<TillDocument>(filter, { hint: totalsIndexes.tills.name, ...majorityRead(timeLimit) })
      .toArray();
    return found.map(
      ({ till: id, store: storeKey, storeReference, tillUuid, receivedAt, soldAt = null }) => ({
        id,
        storeKey,
        store: storeReference,
        till: tillUuid,
        receivedAt,
        soldAt,
      }),
    );
  }
}

const documentIdOf = (retailer: string, generation: string, id: string) => `${retailer}|${generation}|${id}`;
