import { subscriptionExists, tooManySubscriptions } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { databaseTimeout, isDuplicateKey, type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { SubscriptionRecord } from '../domain/subscription';

export interface SubscriptionDocument extends SubscriptionRecord {
  /** `<retailer>/<name>`; neither contains a slash. */
  readonly _id: string;
  /** When the creation of the subscription started. */
  readonly creationStartedAt: Date;
  /** The call that creates the subscription. */
  readonly createdBy: string;
}

export const subscriptionsDeclaration: CollectionDeclaration = { name: 'subscriptions', indexes: [] };

const perRetailerMax = 20;
/** Longer than the request may take; after this time, its process is assumed to have crashed. */
const creationMsMax = 60_000;
const pageCount = 100;

const idOf = (retailer: string, name: string) => `${retailer}/${name}`;

/** All subscriptions of one retailer, sorted by name: the id begins with the retailer. */
const ofRetailer = (retailer: string) => ({
  retailer,
  _id: { $gt: `${retailer}/`, $lt: `${retailer}0` },
});

/**
 * The integrators' subscriptions. A record is written before its queue is created and removed after it is deleted, so
 * that every queue has a record.
 */
export class Subscriptions {
  constructor(private readonly collection: Collection<SubscriptionDocument>) {}

  /**
   * Writes the record of a subscription before its queue is created. The same call can restart an interrupted creation
   * immediately; other calls can do so once its process must have crashed.
   * @throws ServiceError 409 `subscription_exists`, 422 `too_many`
   */
  async begin(
    retailer: string,
    record: Omit<SubscriptionRecord, 'retailer' | 'status'>,
    { callId, signal }: { readonly callId: string; readonly signal: AbortSignal },
  ): Promise<SubscriptionRecord> {
    const { name, created: now } = record;
    const document = {
      ...record,
      _id: idOf(retailer, name),
      retailer,
      status: 'incomplete' as const,
      creationStartedAt: now,
      createdBy: callId,
    };
    if ((await this.list(retailer, signal)).filter((other) => other.name !== name).length >= perRetailerMax) {
      throw new ServiceError(tooManySubscriptions);
    }
    try {
      await this.collection.insertOne(document, { signal });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const left = { $lt: new Date(now.getTime() - creationMsMax) };
      const interrupted = { status: 'incomplete' as const, creationStartedAt: left };
      const filter = { _id: document._id, retailer, $or: [{ createdBy: callId }, interrupted] };
      const { matchedCount } = await this.collection.replaceOne(filter, document, { signal });
      if (matchedCount === 0) throw new ServiceError(subscriptionExists);
    }
    return document;
  }

  async list(retailer: string, signal: AbortSignal): Promise<SubscriptionRecord[]> {
    return this.collection.find(ofRetailer(retailer), { signal }).sort({ _id: 1 }).toArray();
  }

  async find(retailer: string, name: string, signal: AbortSignal): Promise<SubscriptionRecord | undefined> {
    return (await this.collection.findOne({ _id: idOf(retailer, name), retailer }, { signal })) ?? undefined;
  }

  /** @returns false if the subscription does not exist */
  async mark(
    retailer: string,
    name: string,
    status: SubscriptionRecord['status'],
    signal: AbortSignal,
  ): Promise<boolean> {
    const filter = { _id: idOf(retailer, name), retailer };
    const { matchedCount } = await this.collection.updateOne(filter, { $set: { status } }, { signal });
    return matchedCount > 0;
  }

  async remove(retailer: string, name: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: idOf(retailer, name), retailer }, { signal });
  }

  /** The ready subscriptions of all retailers, page by page. */
  async *allReady(): AsyncGenerator<SubscriptionRecord> {
    let after = '';
    for (;;) {
      const page = await this.collection
        .find({ _id: { $gt: after } }, { signal: databaseTimeout() })
        .sort({ _id: 1 })
        .limit(pageCount)
        .toArray();
      yield* page.filter(({ status }) => status === 'ready');
      const last = page.at(-1);
      if (!last || page.length < pageCount) return;
      after = last._id;
    }
  }
}
