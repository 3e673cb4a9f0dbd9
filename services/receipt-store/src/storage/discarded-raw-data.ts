import type { ReturnedReceipt } from '@receipts/contracts';
import { backoffMs, type TimeLimit } from '@receipts/kernel';
import { claimRoundRobin, databaseTimeout, majorityRead, type ClaimOrder } from '@receipts/storage';
import type { Collection } from 'mongodb';
import {
  isReceipt,
  receiptIndexes,
  type DiscardWork,
  type DiscardedRawData,
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

/** The fields of a receipt that is being deleted or erased; none if it has no raw data. */
export function discardOf(
  { pos_data_ids, attachments }: Pick<ReturnedReceipt, 'pos_data_ids' | 'attachments'>,
  earlier: DiscardedRawData | undefined,
  now: Date,
): DiscardWork {
  const ids = Object.values(attachments).map(({ id }) => id);
  const all = [...new Set([...(earlier?.attachments ?? []), ...ids])];
  if (pos_data_ids.length + all.length === 0) return {};
  return {
    discarded: { packets: pos_data_ids, attachments: all, attempts: 0 },
    dueAt: new Date(now.getTime() + firstDelayMs),
  };
}

/** The raw data of deleted and erased receipts that ingest has not deleted yet. */
export class DiscardedData {
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
