import type { CollectionDeclaration } from '@receipts/storage';

/**
 * The sums of one bucket (see `TotalsBucket`) in one generation. Both watermarks are written together with the sums, so
 * that each number is added only once, even if work is repeated.
 */
export interface BucketDocument {
  /** Retailer, generation and bucket. */
  readonly _id: string;
  readonly retailer: string;
  readonly generation: string;
  readonly day: string;
  readonly store: string;
  /** The sums include all of the bucket's receipts up to this number in the order of arrival. */
  readonly upTo: number;
  /** The sums include all of the bucket's changes up to this number. */
  readonly changesUpTo: number;
  /** Incremented by each write, for compare-and-set. */
  readonly rev: number;
  /** JSON; see `BucketSums.print`. The sums may contain values that a BSON document cannot represent. */
  readonly text: string;
}

/** The progress of a generation of a retailer's totals. */
export interface TotalsProgress {
  readonly generation: string;
  readonly upTo: number;
  readonly changesUpTo: number;
}

/**
 * The progress of a retailer's totals. Its id is the retailer's id, so a backup reads the progress before the buckets.
 */
export interface ProgressDocument extends TotalsProgress {
  readonly _id: string;
  /** Marks these documents in the collection that they share with the buckets. */
  readonly progress: true;
  /** The generation that will replace the current generation once it has caught up. */
  readonly rebuild?: TotalsProgress;
  /** Present during a rebuild and until the documents of replaced generations are deleted. */
  readonly unfinished?: true;
}

/** A till in one generation, over all days. */
export interface TillDocument {
  /** Retailer, generation and till. */
  readonly _id: string;
  readonly retailer: string;
  readonly generation: string;
  /** See `tillId`. */
  readonly till: string;
  /** See `storeKey`. */
  readonly store: string;
  readonly storeReference: string;
  readonly tillUuid: string | null;
  readonly receivedAt: Date;
  /** Absent if the till has only sent duplicates. */
  readonly soldAt?: string;
}

export type TotalsDocument = BucketDocument | ProgressDocument | TillDocument;

/**
 * Buckets, tills and progress share a collection, so that dropping it causes a rebuild. A backup saves collections by name:
 * the totals before the receipts, and the changes last, so that no change that was already removed from its receipt is
 * missing.
 */
export const totalsIndexes = {
  days: { name: 'days', key: { retailer: 1, generation: 1, day: 1 } },
  storeDays: { name: 'store_days', key: { retailer: 1, generation: 1, store: 1, day: 1 } },
  tills: {
    name: 'tills',
    key: { retailer: 1, generation: 1, receivedAt: 1 },
    partial: { receivedAt: { $exists: true } },
  },
  progress: { name: 'progress', key: { progress: 1 }, partial: { progress: { $exists: true } } },
  unfinished: { name: 'unfinished', key: { unfinished: 1 }, partial: { unfinished: { $exists: true } } },
} as const;

export const totalsCollection: CollectionDeclaration = {
  name: 'receipt_totals',
  indexes: Object.values(totalsIndexes),
};

/**
 * A change in a receipt's contribution to the totals. A retailer's changes are numbered without gaps, like arrivals.
 */
export interface TotalsChange {
  /** The receipt and its version after the change, so that the change is recorded only once. */
  readonly _id: string;
  readonly retailer: string;
  readonly n: number;
  /** See `printSale`; null for no contribution. */
  readonly before: string | null;
  readonly after: string | null;
}

export const totalsChangeIndexes = {
  order: { name: 'order', key: { retailer: 1, n: 1 }, unique: true },
} as const;

export const totalsChangesCollection: CollectionDeclaration = {
  name: 'totals_changes',
  indexes: Object.values(totalsChangeIndexes),
};
