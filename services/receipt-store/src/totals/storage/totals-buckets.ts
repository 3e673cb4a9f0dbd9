import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { deadlineSignal, isDuplicateKey, majorityRead } from '@receipts/storage';
import { BucketSums } from '../domain/bucket-sums';
import { bucketId, type TotalsBucket } from '../domain/sale';
import { receiptIndexes, type StoredReceipt } from '../../storage/receipt-document';
import { totalsIndexes, type BucketDocument, type TotalsDocument } from './totals-documents';

/** Another process has written the same documents. The documents must be read again. */
export class TotalsConflict extends Error {}

/** The maximum number of buckets per command. */
const bucketsAtOnce = 500;

/** A bucket between reading and writing. */
export class OpenBucket {
  readonly sums: BucketSums;
  upTo: number;
  changesUpTo: number;

  constructor(
    readonly key: { readonly _id: string; readonly retailer: string; readonly generation: string },
    bucket: TotalsBucket,
    /** The state as read; undefined for a new bucket. */
    readonly stored: BucketDocument | undefined,
  ) {
    this.sums = stored ? BucketSums.read(stored.text) : BucketSums.empty(bucket);
    this.upTo = stored?.upTo ?? 0;
    this.changesUpTo = stored?.changesUpTo ?? 0;
  }
}

/** The buckets that a query selects. */
export interface BucketFilter {
  readonly from: string;
  readonly to: string;
  readonly storeKeys?: readonly string[] | undefined;
}

export interface WantedBucket {
  readonly retailer: string;
  readonly generation: string;
  readonly bucket: TotalsBucket;
}

const slices = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / bucketsAtOnce) }, (_, i) =>
    all.slice(i * bucketsAtOnce, (i + 1) * bucketsAtOnce),
  );

/** Stores the sums of buckets. */
export class TotalsBuckets {
  constructor(
    private readonly totals: Collection<TotalsDocument>,
    private readonly receipts: Collection<StoredReceipt>,
  ) {}

  /** Reads buckets, or creates them. Equal ids yield one bucket. */
  async open(wanted: readonly WantedBucket[], timeLimit: TimeLimit): Promise<Map<string, OpenBucket>> {
    const byId = new Map(wanted.map((one) => [documentId(one), one]));
    const stored = new Map<string, BucketDocument>();
    for (const ids of slices([...byId.keys()])) {
      const found = await this.totals
        .find<BucketDocument>({ _id: { $in: ids } }, { ...majorityRead(timeLimit) })
        .toArray();
      for (const document of found) stored.set(document._id, document);
    }
    return new Map(
      [...byId].map(([_id, { retailer, generation, bucket }]) => [
        _id,
        new OpenBucket({ _id, retailer, generation }, bucket, stored.get(_id)),
      ]),
    );
  }

  /**
   * Writes buckets that have not been written since they were read.
   * @throws TotalsConflict if some have been written in the meantime; the others are written
   */
  async save(buckets: readonly OpenBucket[], timeLimit: TimeLimit): Promise<void> {
    for (const open of buckets) if (open.sums.hasLostBound) await this.findBounds(open, timeLimit);
    for (const some of slices(buckets)) {
      const operations = some.map(operationOf) as unknown as AnyBulkWriteOperation<TotalsDocument>[];
      const { matchedCount, upsertedCount } = await this.totals
        .bulkWrite(operations, { ordered: false, signal: deadlineSignal(timeLimit) })
        .catch((error: unknown) => {
          throw isDuplicateKey(error) ? new TotalsConflict() : error;
        });
      if (matchedCount + upsertedCount < some.length) throw new TotalsConflict();
    }
  }

  async find(
    retailer: string,
    generation: string,
    { from, to, storeKeys }: BucketFilter,
    timeLimit: TimeLimit,
  ): Promise<BucketSums[]> {
    const filter = {
      retailer,
      generation,
      day: { $gte: from, $lte: to },
      ...(storeKeys && { store: { $in: [...storeKeys] } }),
    } as unknown as Filter<TotalsDocument>;
    const found = await this.totals
      .find<Pick<BucketDocument, 'text'>>(filter, {
        projection: { text: 1 },
        hint: storeKeys ? totalsIndexes.storeDays.name : totalsIndexes.days.name,
        ...majorityRead(timeLimit),
      })
      .toArray();
    return found.map(({ text }) => BucketSums.read(text));
  }

  /** Deletes the buckets of a retailer that do not belong to any of these generations. */
  async keepOnly(retailer: string, generations: readonly string[]): Promise<void> {
    const filter = { retailer, generation: { $nin: [...generations] } } as unknown as Filter<TotalsDocument>;
    await this.totals.deleteMany(filter);
  }

  /** Finds the first and the last receipt of a bucket among those that still count. */
  private async findBounds({ key: { retailer }, sums }: OpenBucket, timeLimit: TimeLimit): Promise<void> {
    const bound = async (direction: 1 | -1) => {
      const found = await this.receipts.findOne<{ sale: { at: string } }>(
        { retailer, 'sale.bucket': bucketId(sums.bucket) },
        {
          projection: { _id: 0, 'sale.at': 1 },
          sort: { 'sale.at': direction },
          hint: receiptIndexes.sales.name,
          ...majorityRead(timeLimit),
        },
      );
      return found?.sale.at ?? null;
    };
    sums.first = await bound(1);
    sums.last = await bound(-1);
    sums.hasLostBound = false;
  }
}

export const documentId = ({ retailer, generation, bucket }: WantedBucket): string =>
  `${retailer}|${generation}|${bucketId(bucket)}`;

/**
 * An update that matches only the revision that was read. If another process has created the bucket in the meantime,
 * the upsert violates the unique `_id`.
 */
function operationOf({ key: { _id, ...key }, sums, upTo, changesUpTo, stored }: OpenBucket) {
  const rev = stored?.rev ?? 0;
  const { day, storeKey: store } = sums.bucket;
  const state = { ...key, day, store, upTo, changesUpTo, rev: rev + 1, text: sums.print() };
  return { updateOne: { filter: { _id, rev }, update: { $set: state }, upsert: stored === undefined } };
}
