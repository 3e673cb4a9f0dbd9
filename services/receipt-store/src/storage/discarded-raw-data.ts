import type { ReturnedReceipt } from '@receipts/contracts';
import { backoffMs } from '@receipts/concurrency';
import { type TimeLimit } from '@receipts/kernel';
import { claimRoundRobin, databaseTimeout, majorityRead, type ClaimOrder } from '@receipts/storage';
import { isWord, type SearchDocument } from '@receipts/search-language';
import type { Collection, Filter } from 'mongodb';
import {
  isReceipt,
  receiptIndexes,
  type DiscardWork,
  type DiscardedData,
  type StoredReceipt,
} from './receipt-document';

/** A receipt whose raw data is to be deleted. */
export interface Discard extends Required<DiscardWork> {
  readonly _id: string;
  readonly retailer: string;
}

/** Whoever deleted the receipt asks ingest first; the worker takes over what could not be done. */
const firstDelayMs = 2_000;
/** After this time the claim of a crashed process is released. */
const claimMs = 15_000;
const retryMinMs = 2_000;
const retryMaxMs = 3_600_000;

const stillNeeded = { erased: { $exists: false }, ...isReceipt } as const;

/** A receipt before it is deleted or erased. */
interface Discardable {
  readonly receipt: Pick<ReturnedReceipt, 'pos_data_ids' | 'attachments'>;
  readonly search: SearchDocument;
  readonly discarded?: DiscardedData;
}

/** The fields of a receipt that is being deleted or erased. */
export function discardOf({ receipt, search, discarded }: Discardable, now: Date): Required<DiscardWork> {
  const { pos_data_ids: packets, attachments } = receipt;
  const ids = Object.values(attachments).map(({ id }) => id);
  return {
    discarded: {
      packets,
      attachments: [...new Set([...(discarded?.attachments ?? []), ...ids])],
      words: [...new Set([...(discarded?.words ?? []), ...search.terms.filter(isWord)])],
      attempts: 0,
    },
    dueAt: new Date(now.getTime() + firstDelayMs),
  };
}

/** What deleted and erased receipts no longer need, until it has been deleted. */
export class DiscardedRawData {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  /** Claims the work of a receipt that is due, so that no other process does it. */
  claimDue(order: ClaimOrder, now: Date, signal: AbortSignal): Promise<Discard | null> {
    const dueAt = new Date(now.getTime() + claimMs);
    const update = { $set: { dueAt }, $inc: { 'discarded.attempts': 1 } };
    return claimRoundRobin(this.collection, order, { now, update, signal }) as Promise<Discard | null>;
  }

  /** Those of the receipts that have work left. */
  async of(retailer: string, ids: readonly string[], timeLimit: TimeLimit): Promise<readonly Discard[]> {
    return this.collection
      .find<Discard>(
        { retailer, _id: { $in: [...ids] }, dueAt: { $exists: true } },
        { projection: { retailer: 1, discarded: 1, dueAt: 1 }, ...majorityRead(timeLimit) },
      )
      .toArray();
  }

  /** Unless the receipt was erased again in the meantime. */
  async finish({ _id, retailer, dueAt }: Discard): Promise<void> {
    await this.collection.updateOne(
      { _id, retailer, dueAt },
      { $unset: { dueAt: '', discarded: '' } },
      { signal: databaseTimeout() },
    );
  }

  async postpone({ _id, retailer, dueAt, discarded }: Discard, now: Date): Promise<void> {
    const next = new Date(now.getTime() + backoffMs(discarded.attempts - 1, retryMinMs, retryMaxMs));
    await this.collection.updateOne(
      { _id, retailer, dueAt },
      { $set: { dueAt: next } },
      { signal: databaseTimeout() },
    );
  }

  /** Those of the receipts that are neither deleted nor erased. */
  async neededReceipts(retailer: string, ids: readonly string[], timeLimit: TimeLimit): Promise<string[]> {
    if (ids.length === 0) return [];
    const found = await this.collection
      .find(
        { retailer, _id: { $in: [...ids] }, ...stillNeeded },
        { projection: { _id: 1 }, ...majorityRead(timeLimit) },
      )
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** True if a receipt's search document contains this string. */
  async isSearched(retailer: string, token: string, timeLimit: TimeLimit): Promise<boolean> {
    const filter = { retailer, 'search.terms': token } as Filter<StoredReceipt>;
    const options = { projection: { _id: 1 }, hint: 'search_tokens', ...majorityRead(timeLimit) };
    return (await this.collection.findOne(filter, options)) !== null;
  }

  /** Those of the attachments that a receipt refers to. Deleted and erased receipts refer to none. */
  async neededAttachments(retailer: string, ids: readonly string[], timeLimit: TimeLimit): Promise<string[]> {
    const options = {
      projection: { _id: 1 },
      hint: receiptIndexes.attachment.name,
      ...majorityRead(timeLimit),
    };
    const found = await Promise.all(
      ids.map(async (id) => (await this.collection.findOne({ retailer, attachments: id }, options)) && id),
    );
    return found.flatMap((id) => id ?? []);
  }
}
