import type { WebhookDeliveryStatus } from '@receipts/contracts';
import {
  claimRoundRobin,
  dueRoundRobinIndex,
  isDuplicateKey,
  type ClaimOrder,
  type CollectionDeclaration,
} from '@receipts/storage';
import type { Collection } from 'mongodb';

/** A requested recovery of an endpoint, and its progress. */
export interface RecoveryDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly endpointId: string;
  readonly status: WebhookDeliveryStatus | null;
  /** The current position. */
  readonly at: Date;
  readonly eventId: string;
  /** Later events are delivered without a recovery. */
  readonly until: Date;
  /** When the next step is due, or the claim of a process expires; absent once the recovery is finished. */
  readonly dueAt?: Date;
  /** Kept for a while, so that a retry of the call does not restart the recovery. */
  readonly doneAt?: Date;
}

/** A single step takes much less time. Repeating a step has no effect. */
const claimMs = 8_000;
const doneKeptSeconds = 24 * 60 * 60;

export const recoveriesDeclaration: CollectionDeclaration = {
  name: 'webhook_recoveries',
  indexes: [dueRoundRobinIndex, { name: 'expiry', key: { doneAt: 1 }, expireAfterSeconds: doneKeptSeconds }],
};

export class WebhookRecoveries {
  constructor(private readonly collection: Collection<RecoveryDocument>) {}

  /** An existing recovery is not changed. */
  async add(document: Omit<RecoveryDocument, 'dueAt' | 'eventId'>, signal: AbortSignal): Promise<void> {
    try {
      await this.collection.insertOne({ ...document, eventId: '', dueAt: document.until }, { signal });
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
    }
  }

  claimDue(order: ClaimOrder, now: Date, signal: AbortSignal): Promise<RecoveryDocument | null> {
    const update = { $set: { dueAt: new Date(now.getTime() + claimMs) } };
    return claimRoundRobin(this.collection, order, { now, update, signal });
  }

  /** The next step comes after those of the retailer's other recoveries that are due. */
  async reached(
    id: string,
    position: Pick<RecoveryDocument, 'at' | 'eventId'>,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    await this.collection.updateOne({ _id: id }, { $set: { ...position, dueAt: now } }, { signal });
  }

  async done(id: string, now: Date, signal: AbortSignal): Promise<void> {
    await this.collection.updateOne(
      { _id: id },
      { $set: { doneAt: now }, $unset: { dueAt: '' } },
      { signal },
    );
  }

  async removeOf(retailer: string, endpointId: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteMany({ retailer, endpointId }, { signal });
  }
}
