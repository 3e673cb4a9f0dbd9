import type { WebhookDelivery, WebhookDeliveryStatus } from '@receipts/contracts';
import type { CollectionDeclaration } from '@receipts/storage';
import type { MessageEvent } from '../domain/message';
import { orderOf } from './webhook-endpoints';

export type LoggedAttempt = WebhookDelivery['log'][number];

/** The stream of the event, and its rank in the stream. */
export interface OrderingKey {
  readonly stream: string;
  readonly rank: string;
}

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
  /** Absent for test events, which have no subject. */
  readonly orderingKey?: OrderingKey;
  /** Set if the delivery waits for an earlier event of its subject; it becomes due when that event is finished. */
  readonly held?: true;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When the delivery succeeded or failed; absent while it is pending. Only ended deliveries expire. */
  readonly endedAt?: Date;
  readonly expiresAt: Date;
  /** When the event occurred. The log keeps the event while the delivery is pending. */
  readonly eventAt: Date;
  /** Only for test events: all other events are in the event log. */
  readonly event?: MessageEvent;
  readonly log: readonly LoggedAttempt[];
  /**
   * The consumer of its event was erased. Receivers' responses are no longer recorded, as they may contain personal
   * data.
   */
  readonly isErased?: true;
  /** The call that last restarted the delivery. */
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
    { name: 'pending_events', key: { retailer: 1, eventAt: 1 }, partial: { dueAt: { $exists: true } } },
    {
      name: 'expiry',
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      partial: { endedAt: { $exists: true } },
    },
  ],
};

/** How long an ended delivery is shown at least, even if its event is older than its retailer keeps events. */
const endedKeptMs = 24 * 60 * 60_000;

/** The change of a delivery that ends. */
export const ending = (now: Date) =>
  ({
    $set: { endedAt: now, updatedAt: now },
    $max: { expiresAt: new Date(now.getTime() + endedKeptMs) },
  }) as const;

export const testType = 'webhook.test';

/** One event creates one delivery per endpoint, even if it arrives several times. */
export const webhookDeliveryId = (eventId: string, endpointId: string) => `${eventId}-${endpointId}`;

export function newWebhookDelivery(
  facts: Pick<
    WebhookDeliveryDocument,
    'retailer' | 'endpointId' | 'eventId' | 'eventAt' | 'type' | 'event' | 'orderingKey'
  >,
  now: Date,
  keptMs: number,
): WebhookDeliveryDocument {
  const _id = webhookDeliveryId(facts.eventId, facts.endpointId);
  return {
    _id,
    ...facts,
    status: 'pending',
    reason: null,
    attempts: 0,
    dueAt: now,
    order: orderOf(now, facts.eventId),
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + keptMs),
    log: [],
  };
}

export interface OfEndpoint {
  readonly retailer: string;
  readonly endpointId: string;
}

export const withoutResponse = (attempt: LoggedAttempt): LoggedAttempt =>
  attempt.response
    ? { ...attempt, response: { status: attempt.response.status, headers: {}, body: '' } }
    : attempt;
