import type { WebhookDeliveryStatus } from '@receipts/contracts';
import { duplicatesIn } from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import {
  ending,
  testType,
  webhookDeliveryId,
  withoutResponse,
  type OfEndpoint,
  type WebhookDeliveryDocument,
} from './webhook-delivery-document';
import { orderOf } from './webhook-endpoints';

const eraseBatchMax = 100;
/** Greater than every character of an id. */
const lastSign = '~';

const again = (now: Date) => ({
  $set: { status: 'pending' as const, reason: null, attempts: 0, dueAt: now, updatedAt: now },
  $unset: { claim: '' as const, endedAt: '' as const },
});

/** No attempt is in progress. An expired claim belongs to a crashed process. */
const idle = (now: Date): Filter<WebhookDeliveryDocument> => ({
  $or: [{ claim: { $exists: false } }, { dueAt: { $lte: now } }],
});

export class WebhookDeliveries {
  constructor(private readonly collection: Collection<WebhookDeliveryDocument>) {}

  /** Existing deliveries are not changed. */
  async add(documents: readonly WebhookDeliveryDocument[], signal: AbortSignal): Promise<void> {
    if (documents.length === 0) return;
    await duplicatesIn(() => this.collection.insertMany([...documents], { ordered: false, signal }));
  }

  async find(retailer: string, id: string, signal: AbortSignal): Promise<WebhookDeliveryDocument | null> {
    return this.collection.findOne({ _id: id, retailer }, { signal });
  }

  async page(
    { retailer, endpointId }: OfEndpoint,
    which: {
      readonly status?: WebhookDeliveryStatus | undefined;
      readonly types?: readonly string[] | undefined;
      readonly before?: string | undefined;
    },
    count: number,
    signal: AbortSignal,
  ): Promise<WebhookDeliveryDocument[]> {
    const { status, types, before } = which;
    const filter: Filter<WebhookDeliveryDocument> = {
      retailer,
      endpointId,
      ...(status && { status }),
      ...(types && { type: { $in: [...types] } }),
      ...(before !== undefined && { order: { $lt: before } }),
    };
    return this.collection.find(filter, { signal }).sort({ order: -1 }).limit(count).toArray();
  }

  /** The number of pending deliveries, counted up to a limit. */
  async countPending(
    { retailer, endpointId }: OfEndpoint,
    countMax: number,
    signal: AbortSignal,
  ): Promise<number> {
    const filter = { retailer, endpointId, status: 'pending' as const };
    return this.collection.countDocuments(filter, { signal, limit: countMax });
  }

  /** When the oldest event with a pending delivery occurred. */
  async oldestPending(retailer: string, signal: AbortSignal): Promise<Date | undefined> {
    const options = { projection: { eventAt: 1 }, sort: { eventAt: 1 }, signal } as const;
    return (await this.collection.findOne({ retailer, dueAt: { $exists: true } }, options))?.eventAt;
  }

  /** The failure reason of the newest delivery that has failed or is being retried. */
  async lastFailure(which: OfEndpoint, signal: AbortSignal): Promise<string | undefined> {
    for (const status of ['pending', 'failed'] as const) {
      const [newest] = await this.page(which, { status }, 1, signal);
      if (newest?.reason) return newest.reason;
    }
    return undefined;
  }

  /** Removes receivers' responses to these events from the logs. Repeating the call has no effect. */
  async eraseResponses(
    retailer: string,
    eventIds: readonly string[],
    signal: () => AbortSignal,
  ): Promise<void> {
    for (let n = 0; n < eventIds.length; n += eraseBatchMax) {
      await this.eraseResponsesOf(retailer, eventIds.slice(n, n + eraseBatchMax), signal());
    }
  }

  private async eraseResponsesOf(
    retailer: string,
    eventIds: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const ofEvents: Filter<WebhookDeliveryDocument>[] = eventIds.map((eventId) => ({
      _id: { $gte: webhookDeliveryId(eventId, ''), $lt: webhookDeliveryId(eventId, lastSign) },
    }));
    // After this write, no responses are added, so the removal below is complete.
    await this.collection.updateMany({ retailer, $or: ofEvents }, { $set: { isErased: true } }, { signal });
    const found = this.collection.find(
      { retailer, $or: ofEvents, 'log.0': { $exists: true } },
      { projection: { log: 1, updatedAt: 1 }, signal },
    );
    for await (const { _id, updatedAt, log } of found) {
      const kept = { $set: { log: log.map(withoutResponse) } };
      await this.collection.updateOne({ _id, updatedAt }, kept, { signal });
    }
  }

  /** Fails all pending deliveries of a disabled endpoint, except tests. Returns their number. */
  async failPending({ retailer, endpointId }: OfEndpoint, now: Date, signal: AbortSignal): Promise<number> {
    const { $set, $max } = ending(now);
    const { modifiedCount } = await this.collection.updateMany(
      { retailer, endpointId, status: 'pending', type: { $ne: testType } },
      {
        $set: { ...$set, status: 'failed', reason: 'endpoint_disabled' },
        $max,
        $unset: { dueAt: '', claim: '' },
      },
      { signal },
    );
    return modifiedCount;
  }

  /**
   * Restarts a delivery; repeating the call does not restart it again.
   * @returns false if an attempt is in progress
   */
  async restart(
    retailer: string,
    id: string,
    callId: string,
    now: Date,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { $set, $unset } = again(now);
    const { matchedCount } = await this.collection.updateOne(
      { _id: id, retailer, restartedBy: { $ne: callId }, ...idle(now) },
      { $set: { ...$set, restartedBy: callId }, $unset },
      { signal },
    );
    return matchedCount === 1 || (await this.find(retailer, id, signal))?.restartedBy === callId;
  }

  /** Restarts those of these deliveries that have failed. */
  async restartFailed(
    retailer: string,
    ids: readonly string[],
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const filter = { _id: { $in: [...ids] }, retailer, status: 'failed' as const };
    await this.collection.updateMany(filter, again(now), { signal });
  }

  /** Restarts all deliveries with a given status that were created since a given time. */
  async restartOfStatus(
    { retailer, endpointId }: OfEndpoint,
    status: WebhookDeliveryStatus,
    since: Date,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const made = { order: { $gte: orderOf(since, '') }, type: { $ne: testType } };
    const which = { retailer, endpointId, status, ...made, ...idle(now) };
    await this.collection.updateMany(which, again(now), { signal });
  }

  async removeOf({ retailer, endpointId }: OfEndpoint, signal: AbortSignal): Promise<void> {
    await this.collection.deleteMany({ retailer, endpointId }, { signal });
  }

  async remove(retailer: string, id: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: id, retailer }, { signal });
  }
}
