import type { WebhookDeliveryStatus } from '@receipts/contracts';
import { isDuplicateKey, type CollectionDeclaration } from '@receipts/storage';
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
  /** Absent once the recovery is finished. */
  readonly leaseUntil?: Date;
  /** Kept for a while, so that a retry of the call does not restart the recovery. */
  readonly doneAt?: Date;
}

const doneKeptSeconds = 24 * 60 * 60;

export const recoveriesDeclaration: CollectionDeclaration = {
  name: 'webhook_recoveries',
  indexes: [
    { name: 'by_lease', key: { leaseUntil: 1 } },
    { name: 'expiry', key: { doneAt: 1 }, expireAfterSeconds: doneKeptSeconds },
  ],
};

export class WebhookRecoveries {
  constructor(private readonly collection: Collection<RecoveryDocument>) {}

  /** An existing recovery is not changed. */
  async add(document: Omit<RecoveryDocument, 'leaseUntil' | 'eventId'>, signal: AbortSignal): Promise<void> {
    try {
      await this.collection.insertOne({ ...document, eventId: '', leaseUntil: new Date(0) }, { signal });
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
    }
  }

  async claim(now: Date, leaseMs: number, signal: AbortSignal): Promise<RecoveryDocument | null> {
    return this.collection.findOneAndUpdate(
      { leaseUntil: { $lte: now } },
      { $set: { leaseUntil: new Date(now.getTime() + leaseMs) } },
      { sort: { leaseUntil: 1 }, returnDocument: 'after', signal },
    );
  }

  async reached(
    id: string,
    position: Pick<RecoveryDocument, 'at' | 'eventId'>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.collection.updateOne(
      { _id: id },
      { $set: { ...position, leaseUntil: new Date(0) } },
      { signal },
    );
  }

  async done(id: string, now: Date, signal: AbortSignal): Promise<void> {
    await this.collection.updateOne(
      { _id: id },
      { $set: { doneAt: now }, $unset: { leaseUntil: '' } },
      { signal },
    );
  }

  async removeOf(retailer: string, endpointId: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteMany({ retailer, endpointId }, { signal });
  }
}
