import {
  outboxIndex,
  type CollectionDeclaration,
  type IndexDeclaration,
  type OutboxItem,
} from '@receipts/storage';
import {
  receiptFields,
  searchIndexes,
  singleValueIndexes,
  type SearchDocument,
} from '@receipts/search-language';

/** A number of the order of arrival that no receipt has, written by earlier versions; readers never see it. */
interface Tombstone {
  readonly _id: string;
  readonly retailer: string;
  readonly seq: number;
  readonly version: 0;
}

/**
 * A receipt. The fields that queries need stand by themselves; the whole stands in `text`, the JSON of its returned form.
 * It is written once and copied into every answer as it is, and it can hold whatever JSON can: keys with dots, dollars
 * and NUL, `__proto__`, members that look like BSON types.
 */
export interface ReceiptDocument {
  readonly _id: string;
  readonly retailer: string;
  /** The place in the retailer's order of arrival. */
  readonly seq: number;
  /** From 1; every change adds one. */
  readonly version: number;
  readonly transaction_id: string;
  /** Absent when there is none, as the indexes are partial. */
  readonly external_id?: string;
  readonly identifier?: string;
  /** See `storeKey`. */
  readonly store_key: string;
  /** The ids of its attachments; absent when it has none. */
  readonly attachments?: readonly string[];
  /** Names the request that made it, so that its repetition after a crash is recognised. */
  readonly origin: string;
  readonly text: string;
  /** What it is found by; see `searchOf`. */
  readonly search: SearchDocument;
  /** The ids of the latest messages that changed it, so that one which is delivered again changes nothing. */
  readonly changed_by?: readonly string[];
  readonly outbox: readonly OutboxItem[];
}

export type StoredReceipt = ReceiptDocument | Tombstone;

/** Every index begins with the retailer, and those that lists use end with the order of arrival. */
export const receiptIndexes = {
  arrival: { name: 'arrival', key: { retailer: 1, seq: 1 }, unique: true },
  transactionId: {
    name: 'transaction_id',
    key: { retailer: 1, transaction_id: 1 },
    unique: true,
    partial: { transaction_id: { $exists: true } },
  },
  externalId: {
    name: 'external_id',
    key: { retailer: 1, external_id: 1 },
    unique: true,
    partial: { external_id: { $exists: true } },
  },
  consumer: {
    name: 'consumer',
    key: { retailer: 1, identifier: 1, seq: 1 },
    partial: { identifier: { $exists: true } },
  },
  consumerStore: {
    name: 'consumer_store',
    key: { retailer: 1, identifier: 1, store_key: 1, seq: 1 },
    partial: { identifier: { $exists: true } },
  },
  store: { name: 'store', key: { retailer: 1, store_key: 1, seq: 1 } },
  attachment: {
    name: 'attachment',
    key: { retailer: 1, attachments: 1, identifier: 1 },
    partial: { attachments: { $exists: true } },
  },
} as const satisfies Readonly<Record<string, IndexDeclaration>>;

export const receiptCollection: CollectionDeclaration = {
  name: 'receipts',
  indexes: [
    ...Object.values(receiptIndexes),
    ...searchIndexes,
    ...singleValueIndexes(receiptFields()),
    outboxIndex,
  ],
};
