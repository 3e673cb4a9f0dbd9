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

/** A receipt that was deleted: it holds its place and its ids, and nothing of what it said. */
export interface DeletedReceipt {
  readonly _id: string;
  readonly retailer: string;
  readonly seq: number;
  readonly version: number;
  readonly transaction_id: string;
  readonly external_id?: string;
  readonly origin: string;
  readonly idem?: IdempotencyKey;
  readonly deleted_at: Date;
  readonly changed_at: Date;
  readonly told?: readonly Told[];
  readonly outbox?: readonly OutboxItem[];
}

/** How the events of a new receipt came about; all else they say is the receipt. */
export interface Creation {
  /** The id of `receipt.created`. */
  readonly event: string;
  readonly at: Date;
  readonly request: string;
  /** The message that caused it. */
  readonly cause: string;
  readonly trace?: string;
  /** The consumers to whom the credential that posted it is confined. */
  readonly confinedTo?: readonly string[];
}

/** How a public event of a later change came about; all else it says is the receipt. */
export interface Told {
  readonly id: string;
  readonly type: string;
  /** Of the receipt, after the change. */
  readonly version: number;
  readonly at: Date;
  readonly request: string;
  readonly trace?: string;
}

/** The `Idempotency-Key` under which a receipt was posted. */
export interface IdempotencyKey {
  /** A digest of the key and of whose it is. */
  readonly key: string;
  readonly fingerprint: string;
  readonly at: Date;
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
  /** The form of the text, see `receiptForm`; absent in receipts of earlier versions. */
  readonly form?: number;
  /** What it is found by; see `searchOf`. */
  readonly search: SearchDocument;
  /** Absent in receipts of earlier versions, whose events stood in the outbox. */
  readonly created?: Creation;
  readonly idem?: IdempotencyKey;
  /** The ids of the latest messages that changed it, so that one which is delivered again changes nothing. */
  readonly changed_by?: readonly string[];
  /** Of the latest change; absent before the first. */
  readonly changed_at?: Date;
  /** The latest events of later changes, the last one last, so that they can be told again. */
  readonly told?: readonly Told[];
  /** The events of later changes, until they are out. */
  readonly outbox?: readonly OutboxItem[];
}

export type StoredReceipt = ReceiptDocument | DeletedReceipt | Tombstone;

/** What receipts have, and neither tombstones nor deleted ones. */
export const isReceipt = { text: { $exists: true } } as const;

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
  idempotencyKey: {
    name: 'idempotency_key',
    key: { retailer: 1, 'idem.key': 1 },
    unique: true,
    partial: { 'idem.key': { $exists: true } },
  },
  changes: {
    name: 'changes',
    key: { retailer: 1, changed_at: 1, _id: 1 },
    partial: { changed_at: { $exists: true } },
  },
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
