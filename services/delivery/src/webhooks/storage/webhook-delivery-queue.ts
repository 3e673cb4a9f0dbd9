import type { WebhookDeliveryStatus } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import type { Collection, Filter } from 'mongodb';
import { streamBefore, streamsAfter } from '../../events/domain/event-stream';
import {
  ending,
  withoutResponse,
  type LoggedAttempt,
  type OfEndpoint,
  type OrderingKey,
  type WebhookDeliveryDocument,
} from './webhook-delivery-document';

/** Longer than any attempt takes; after this time, its process is assumed to have crashed. */
const claimMs = 45_000;
const waitsForEarlier = 'earlier_event_pending';
const logMax = 10;

/** The pending deliveries of each endpoint, sorted by due time. */
export class WebhookDeliveryQueue {
  constructor(private readonly collection: Collection<WebhookDeliveryDocument>) {}

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
   * Marks as due again the deliveries whose attempts were started by a crashed process. The caller holds the endpoint's
   * lease, so no other process makes these attempts.
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
    const filter = { retailer, endpointId, dueAt: { $exists: true } };
    const options = { projection: { dueAt: 1 }, sort: { dueAt: 1 }, signal } as const;
    return (await this.collection.findOne(filter, options))?.dueAt;
  }

  /** When the first of the pending earlier events is due; undefined if there is none. */
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
    const { stream, rank } = orderingKey;
    const other = streamBefore(stream);
    const before: Filter<WebhookDeliveryDocument>[] = [
      { 'orderingKey.stream': stream, 'orderingKey.rank': { $lt: rank } },
      ...(other === undefined ? [] : [{ 'orderingKey.stream': other, order: { $lt: order } }]),
    ];
    for (const which of before) {
      const first = await this.collection.findOne(
        { retailer, endpointId, dueAt: { $exists: true }, ...which },
        { projection: { dueAt: 1 }, sort: { 'orderingKey.rank': 1 }, signal },
      );
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
        $unset: { claim: '' },
        $inc: { attempts: -1 },
      },
      { signal },
    );
  }

  /** In each stream that may wait for this event, marks as due the first held delivery. */
  async releaseNext(
    { retailer, endpointId }: OfEndpoint,
    { stream: finished }: OrderingKey,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    for (const stream of streamsAfter(finished)) {
      await this.collection.findOneAndUpdate(
        {
          retailer,
          endpointId,
          'orderingKey.stream': stream,
          dueAt: { $exists: true },
          held: true,
        },
        { $set: { dueAt: now }, $unset: { held: '' } },
        { sort: { 'orderingKey.rank': 1 }, projection: { _id: 1 }, signal },
      );
    }
  }

  /** Saves the result of an attempt. @returns false if the claim is no longer valid; then nothing has changed */
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
  ): Promise<boolean> {
    const { status, reason, dueAt, attempt } = outcome;
    const ended = ending(now);
    const entries = attempt ? [attempt, ...log].slice(0, logMax) : log;
    const write = (isErased: { $exists: boolean }, kept: readonly LoggedAttempt[]) =>
      this.collection.updateOne(
        { _id, claim, status: 'pending', isErased },
        {
          ...(!dueAt && { $max: ended.$max }),
          $set: { ...(dueAt ? { dueAt, updatedAt: now } : ended.$set), status, reason, log: kept },
          $unset: { claim: '', ...(!dueAt && { dueAt: '' }) },
        },
        { signal },
      );
    const saved = await write({ $exists: false }, entries);
    // The consumer may have been erased during the attempt.
    const { matchedCount } =
      saved.matchedCount > 0 ? saved : await write({ $exists: true }, entries.map(withoutResponse));
    return matchedCount > 0;
  }

  /** Endpoints with a long overdue attempt. */
  async overdue(before: Date, signal: AbortSignal): Promise<{ id: string; retailer: string }[]> {
    const found = await this.collection
      .find({ dueAt: { $lt: before } }, { projection: { endpointId: 1, retailer: 1 }, signal })
      .sort({ dueAt: 1 })
      .limit(1_000)
      .toArray();
    const byId = new Map(found.map(({ endpointId, retailer }) => [endpointId, retailer]));
    return [...byId].map(([id, retailer]) => ({ id, retailer }));
  }
}
