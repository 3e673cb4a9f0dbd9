import type { WebhookDelivery, WebhookDeliveryStatus } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { isDuplicateKey, writeErrorsByIndex, type CollectionDeclaration } from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import type { MessageEvent } from '../domain/message';
import { changeOf, streamsAfter, type OrderingKey } from '../../events/domain/ordering-key';
import { orderOf } from './webhook-endpoints';

export type LoggedAttempt = WebhookDelivery['log'][number];

export interface WebhookDeliveryDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly status: WebhookDeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  /** Present while pending: the time of the next attempt, or the end of the current attempt's claim. */
  readonly dueAt?: Date;
  readonly order: string;
  /** Absent for test events, which belong to no subject. */
  readonly orderingKey?: OrderingKey;
  /** It waits for an earlier event of its subject, and becomes due when that is finished. */
  readonly held?: true;
  /** The change whose event it waits for, if that event had not arrived yet. Otherwise it becomes due only at `dueAt`. */
  readonly awaits?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  /** Only for test events: all others are in the event log. */
  readonly event?: MessageEvent;
  readonly log: readonly LoggedAttempt[];
  /**
   * The consumer of its event was erased. Receivers' answers are no longer recorded, as they may contain personal data.
   */
  readonly isErased?: true;
  /** The call that last restarted it. */
  readonly restartedBy?: string;
  /** The id of the current attempt, until `dueAt`. Only its holder may save the result. */
  readonly claim?: string;
}

export const webhookDeliveriesDeclaration: CollectionDeclaration = {
  name: 'webhook_deliveries',
  indexes: [
    { name: 'by_endpoint', key: { retailer: 1, endpointId: 1, order: -1 } },
    { name: 'by_status', key: { retailer: 1, endpointId: 1, status: 1, order: -1 } },
    {
      name: 'due',
      key: { retailer: 1, endpointId: 1, dueAt: 1, order: 1 },
      partial: { dueAt: { $exists: true } },
    },
    {
      name: 'waiting',
      key: { retailer: 1, endpointId: 1, 'orderingKey.stream': 1, 'orderingKey.rank': 1 },
      partial: { dueAt: { $exists: true } },
    },
    { name: 'overdue', key: { dueAt: 1 }, sparse: true },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** Longer than any attempt takes: afterwards its process is assumed to have crashed. */
const claimMs = 45_000;
const waitsForEarlier = 'earlier_event_pending';
const logMax = 10;
const eraseBatchMax = 100;

export const testType = 'webhook.test';

/** One event gives one delivery per endpoint, even if it arrives several times. */
export const webhookDeliveryId = (eventId: string, endpointId: string) => `${eventId}-${endpointId}`;

/** The maximum time a delivery waits for the events of an earlier change, see `changeBefore`. */
export interface Wait {
  readonly until: Date;
  readonly awaits: string;
}

/** @param wait given if an earlier event has not arrived yet */
export function newWebhookDelivery(
  facts: Pick<
    WebhookDeliveryDocument,
    'retailer' | 'endpointId' | 'eventId' | 'type' | 'event' | 'orderingKey'
  >,
  now: Date,
  keptMs: number,
  wait?: Wait,
): WebhookDeliveryDocument {
  const _id = webhookDeliveryId(facts.eventId, facts.endpointId);
  return {
    _id,
    ...facts,
    status: 'pending',
    reason: null,
    attempts: 0,
    dueAt: wait?.until ?? now,
    ...(wait && { held: true, awaits: wait.awaits }),
    order: orderOf(now, facts.eventId),
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + keptMs),
    log: [],
  };
}

/** Greater than every character of an id. */
const lastSign = '~';

const withoutResponse = (attempt: LoggedAttempt): LoggedAttempt =>
  attempt.response
    ? { ...attempt, response: { status: attempt.response.status, headers: {}, body: '' } }
    : attempt;

interface OfEndpoint {
  readonly retailer: string;
  readonly endpointId: string;
}

const again = (now: Date) => ({
  $set: { status: 'pending' as const, reason: null, attempts: 0, dueAt: now, updatedAt: now },
  $unset: { claim: '' as const },
});

/** No attempt is in progress. An expired claim belongs to a crashed process. */
const idle = (now: Date): Filter<WebhookDeliveryDocument> => ({
  $or: [{ claim: { $exists: false } }, { dueAt: { $lte: now } }],
});

export class WebhookDeliveries {
  constructor(private readonly collection: Collection<WebhookDeliveryDocument>) {}

  /** Existing ones are left as they are. */
  async add(documents: readonly WebhookDeliveryDocument[], signal: AbortSignal): Promise<void> {
    if (documents.length === 0) return;
    try {
      await this.collection.insertMany([...documents], { ordered: false, signal });
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault, '_id_'))) throw error;
    }
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

  /** The number of pending ones, counted up to a bound. */
  async countPending(
    { retailer, endpointId }: OfEndpoint,
    countMax: number,
    signal: AbortSignal,
  ): Promise<number> {
    const filter = { retailer, endpointId, status: 'pending' as const };
    return this.collection.countDocuments(filter, { signal, limit: countMax });
  }

  /** The reason of the newest one that has failed or is being retried. */
  async lastFailure(which: OfEndpoint, signal: AbortSignal): Promise<string | undefined> {
    for (const status of ['pending', 'failed'] as const) {
      const [newest] = await this.page(which, { status }, 1, signal);
      if (newest?.reason) return newest.reason;
    }
    return undefined;
  }

  /** Claims the attempt that has been due longest. */
  async claimDue(
    { retailer, endpointId }: OfEndpoint,
    now: Date,
    signal: AbortSignal,
  ): Promise<WebhookDeliveryDocument | null> {
    return this.collection.findOneAndUpdate(
      { retailer, endpointId, dueAt: { $lte: now } },
      {
        $set: { dueAt: new Date(now.getTime() + claimMs), claim: newId() },
        $unset: { held: '' },
        $inc: { attempts: 1 },
      },
      { sort: { dueAt: 1, order: 1 }, returnDocument: 'after', signal },
    );
  }

  /**
   * Makes the deliveries of an endpoint due whose attempts a crashed process had begun. The caller holds the endpoint's
   * lease, so nobody else makes them.
   */
  async releaseClaims({ retailer, endpointId }: OfEndpoint, now: Date, signal: AbortSignal): Promise<void> {
    const claimed = { $gt: now, $lte: new Date(now.getTime() + claimMs) };
    await this.collection.updateMany(
      { retailer, endpointId, dueAt: claimed, claim: { $exists: true } },
      { $set: { dueAt: now }, $unset: { claim: '' } },
      { signal },
    );
  }

  async nextDue({ retailer, endpointId }: OfEndpoint, signal: AbortSignal): Promise<Date | undefined> {
    const [next] = await this.collection
      .find({ retailer, endpointId, dueAt: { $exists: true } }, { projection: { dueAt: 1 }, signal })
      .sort({ dueAt: 1 })
      .limit(1)
      .toArray();
    return next?.dueAt;
  }

  /** When the first of the pending earlier events is due; undefined when there is none. */
  async earlierDue(
    {
      retailer,
      endpointId,
      orderingKey,
      order,
    }: Pick<WebhookDeliveryDocument, 'orderingKey' | 'order'> & OfEndpoint,
    signal: AbortSignal,
  ): Promise<Date | undefined> {
    if (!orderingKey) return undefined;
    const { stream, rank, behind } = orderingKey;
    const before: Filter<WebhookDeliveryDocument>[] = [
      { 'orderingKey.stream': stream, 'orderingKey.rank': { $lt: rank } },
      ...(behind === undefined ? [] : [{ 'orderingKey.stream': behind, order: { $lt: order } }]),
    ];
    for (const which of before) {
      const [first] = await this.collection
        .find(
          { retailer, endpointId, dueAt: { $exists: true }, ...which },
          { projection: { dueAt: 1 }, signal },
        )
        .sort({ 'orderingKey.rank': 1 })
        .limit(1)
        .toArray();
      if (first) return first.dueAt;
    }
    return undefined;
  }

  /** Releases a claim without counting an attempt. */
  async hold(
    { _id, claim = '' }: WebhookDeliveryDocument,
    until: Date,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    await this.collection.updateOne(
      { _id, claim, status: 'pending' },
      {
        $set: { dueAt: until, held: true, reason: waitsForEarlier, updatedAt: now },
        $unset: { awaits: '', claim: '' },
        $inc: { attempts: -1 },
      },
      { signal },
    );
  }

  /** Makes deliveries due that have waited for an event of this place, or for the one that is held. */
  async releaseNext(
    { retailer, endpointId }: OfEndpoint,
    orderingKey: OrderingKey,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    for (const stream of streamsAfter(orderingKey)) {
      const nothing = { awaits: { $exists: false } };
      const waiting =
        stream === orderingKey.stream ? { $or: [nothing, { awaits: changeOf(orderingKey) }] } : nothing;
      await this.collection.findOneAndUpdate(
        {
          retailer,
          endpointId,
          'orderingKey.stream': stream,
          dueAt: { $exists: true },
          held: true,
          ...waiting,
        },
        { $set: { dueAt: now }, $unset: { held: '', awaits: '' } },
        { sort: { 'orderingKey.rank': 1 }, projection: { _id: 1 }, signal },
      );
    }
  }

  /** Saves the result of an attempt. Does nothing when the claim is no longer valid. */
  async settle(
    { _id, claim = '', log }: WebhookDeliveryDocument,
    outcome: {
      readonly status: WebhookDeliveryStatus;
      readonly reason: string | null;
      readonly dueAt?: Date;
      readonly attempt?: LoggedAttempt;
    },
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const { status, reason, dueAt, attempt } = outcome;
    const entries = attempt ? [attempt, ...log].slice(0, logMax) : log;
    const write = (isErased: { $exists: boolean }, kept: readonly LoggedAttempt[]) =>
      this.collection.updateOne(
        { _id, claim, status: 'pending', isErased },
        {
          $set: { status, reason, updatedAt: now, log: kept, ...(dueAt && { dueAt }) },
          $unset: { claim: '', ...(!dueAt && { dueAt: '' }) },
        },
        { signal },
      );
    const { matchedCount } = await write({ $exists: false }, entries);
    // The consumer may have been erased during the attempt.
    if (matchedCount === 0) await write({ $exists: true }, entries.map(withoutResponse));
  }

  /** Removes receivers' answers to these events from the logs. Repeating it changes nothing. */
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
    // After this write no answers are added, so the removal below is complete.
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

  /** Fails all pending deliveries of an endpoint, except tests. */
  async failPending({ retailer, endpointId }: OfEndpoint, reason: string, now: Date, signal: AbortSignal) {
    await this.collection.updateMany(
      { retailer, endpointId, status: 'pending', type: { $ne: testType } },
      { $set: { status: 'failed', reason, updatedAt: now }, $unset: { dueAt: '', claim: '' } },
      { signal },
    );
  }

  /**
   * Restarts a delivery; repeating the call does not restart it again.
   * @returns false when an attempt is in progress
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

  /** Restarts all with a status that were created since a time. */
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

  /** Endpoints with an attempt that has been overdue for long. */
  async overdue(before: Date, signal: AbortSignal): Promise<{ id: string; retailer: string }[]> {
    const found = await this.collection
      .find({ dueAt: { $lt: before } }, { projection: { endpointId: 1, retailer: 1 }, signal })
      .sort({ dueAt: 1 })
      .limit(1_000)
      .toArray();
    const byId = new Map(found.map(({ endpointId, retailer }) => [endpointId, retailer]));
    return [...byId].map(([id, retailer]) => ({ id, retailer }));
  }

  async removeOf({ retailer, endpointId }: OfEndpoint, signal: AbortSignal): Promise<void> {
    await this.collection.deleteMany({ retailer, endpointId }, { signal });
  }

  async remove(retailer: string, id: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: id, retailer }, { signal });
  }
}
