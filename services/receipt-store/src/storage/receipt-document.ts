import type { RequestKey } from '@receipts/kernel';
import {
  dueRoundRobinIndex,
  outboxIndex,
  type CollectionDeclaration,
  type IndexDeclaration,
  type OutboxItem,
} from '@receipts/storage';
import type { Gift } from '../domain/gift';
import type { SaleKey } from '../totals/domain/sale';
import type { SaleHistory } from '../totals/domain/sale-changes';
import {
  receiptFields,
  searchIndexes,
  singleValueIndexes,
  type SearchDocument,
} from '@receipts/search-language';

/** What a receipt no longer needs, because it was deleted or erased. */
export interface DiscardedData {
  /** The packet that the receipt was converted from. */
  readonly packets: readonly string[];
  readonly attachments: readonly string[];
  /** Its words in the search document. */
  readonly words: readonly string[];
  /** How often their deletion was attempted. */
  readonly attempts: number;
}

/** The work that is left after a receipt was deleted or erased; absent once it is done. */
export interface DiscardWork {
  readonly discarded?: DiscardedData;
  /** When the work is attempted. */
  readonly dueAt?: Date;
}

/** The placeholder of a deleted receipt: it keeps only the position and the ids. */
export interface DeletedReceipt extends DiscardWork {
  readonly _id: string;
  readonly retailer: string;
  readonly arrival: number;
  readonly version: number;
  readonly transaction_id: string;
  readonly external_id?: string;
  readonly origin: string;
  readonly idem?: RequestKey;
  readonly may_be_awaited?: true;
  readonly deleted_at: Date;
  readonly changed_at: Date;
  readonly published?: readonly PublishedOrigin[];
  readonly outbox?: readonly OutboxItem[];
  readonly sale_history?: SaleHistory;
}

/** The origin of a new receipt's events. The rest of their content is the receipt itself. */
export interface Creation {
  /** The id of `receipt.created`. */
  readonly event: string;
  /** The id of `receipt.check_failed`; absent if the receipt adds up, or the retailer has not enabled the event. */
  readonly checkFailed?: string;
  readonly at: Date;
  readonly request: string;
  /** The id of the message that created the receipt. */
  readonly cause: string;
  readonly trace?: string;
  /** The principal that posted the receipt. */
  readonly by?: string;
  /** The consumers to whom the posting credential is restricted. */
  readonly confinedTo?: readonly string[];
}

/** The origin of a public event of a later change. The rest of its content is the receipt itself. */
export interface PublishedOrigin {
  readonly id: string;
  readonly type: string;
  /** The receipt's version after the change. */
  readonly version: number;
  readonly at: Date;
  readonly request: string;
  readonly trace?: string;
  /** The principal that made the change. */
  readonly by?: string;
}

/** What a member of the staff wrote about a receipt. */
export interface ReceiptNote {
  /** The id of the message that added it, so that a redelivered message adds no other. */
  readonly cause: string;
  readonly at: Date;
  readonly by: string;
  readonly text: string;
}

/**
 * A stored receipt. Fields that queries use are stored separately; the receipt itself is in `text`, the JSON as
 * returned, which is copied into responses without parsing it. As text, it can contain any JSON: keys with dots,
 * dollars and NUL, `__proto__`, objects that look like BSON types.
 */
export interface ReceiptDocument extends DiscardWork {
  readonly _id: string;
  readonly retailer: string;
  /** The position in the retailer's order of arrival. */
  readonly arrival: number;
  /** Starts at 1; every change adds one. */
  readonly version: number;
  readonly transaction_id: string;
  /** Absent if there is none, because the index is partial. */
  readonly external_id?: string;
  readonly identifier?: string;
  /** See `storeKey`. */
  readonly store_key: string;
  /** See `relatedKeys`. */
  readonly related?: readonly string[];
  /** Copied from receipt to receipt once one has waited for a related receipt, as each later one may be the awaited one. */
  readonly may_be_awaited?: true;
  /** The ids of the receipt's attachments; absent if there are none. */
  readonly attachments?: readonly string[];
  /** Identifies the request that created the receipt, so that a retry after a crash is recognized. */
  readonly origin: string;
  readonly text: string;
  /** The search document, see `searchOf`. */
  readonly search: SearchDocument;
  /** Absent in receipts that are stored without events, such as samples. */
  readonly created?: Creation;
  readonly idem?: RequestKey;
  /** The ids of the latest messages that changed the receipt, so that a redelivered message has no effect. */
  readonly changed_by?: readonly string[];
  /** The time of the latest change; absent before the first change. */
  readonly changed_at?: Date;
  /** The latest events of later changes, oldest first, so that they can be published again. */
  readonly published?: readonly PublishedOrigin[];
  /** Events of later changes that have not been published yet. */
  readonly outbox?: readonly OutboxItem[];
  /** Oldest first. */
  readonly notes?: readonly ReceiptNote[];
  /** True for a receipt whose consumer was erased. It needs no raw data, unlike others without a consumer. */
  readonly erased?: true;
  /** Absent if there are none. */
  readonly gifts?: readonly Gift[];
  /** Absent in duplicates and voided receipts. */
  readonly sale?: SaleKey;
  /** Absent before the first change that affects the totals. */
  readonly sale_history?: SaleHistory;
}

export type StoredReceipt = ReceiptDocument | DeletedReceipt;

/** Matches receipts that are not deleted. */
export const isReceipt = { text: { $exists: true } } as const;

/** Every index begins with the retailer, and those used by lists end with the order of arrival. */
export const receiptIndexes = {
  arrival: { name: 'arrival', key: { retailer: 1, arrival: 1 }, unique: true },
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
    key: { retailer: 1, identifier: 1, arrival: 1 },
    partial: { identifier: { $exists: true } },
  },
  consumerStore: {
    name: 'consumer_store',
    key: { retailer: 1, identifier: 1, store_key: 1, arrival: 1 },
    partial: { identifier: { $exists: true } },
  },
  store: { name: 'store', key: { retailer: 1, store_key: 1, arrival: 1 } },
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
  /** Finds the receipts to be deleted after their retention period. */
  creation: {
    name: 'creation',
    key: { retailer: 1, 'created.at': 1 },
    partial: { 'created.at': { $exists: true } },
  },
  related: {
    name: 'related',
    key: { retailer: 1, related: 1 },
    partial: { related: { $exists: true } },
  },
  attachment: {
    name: 'attachment',
    key: { retailer: 1, attachments: 1, identifier: 1 },
    partial: { attachments: { $exists: true } },
  },
  sales: {
    name: 'sales',
    key: { retailer: 1, 'sale.bucket': 1, 'sale.at': 1 },
    partial: { 'sale.bucket': { $exists: true } },
  },
  saleChanges: {
    name: 'sale_changes',
    key: { retailer: 1, arrival: 1 },
    partial: { 'sale_history.pending': { $exists: true } },
  },
} as const satisfies Readonly<Record<string, IndexDeclaration>>;

export const receiptCollection: CollectionDeclaration = {
  name: 'receipts',
  indexes: [
    ...Object.values(receiptIndexes),
    ...searchIndexes,
    ...singleValueIndexes(receiptFields()),
    dueRoundRobinIndex,
    outboxIndex,
  ],
};
