import { personHash, type Channel } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';
import {
  dueRoundRobinIndex,
  outboxIndex,
  type CollectionDeclaration,
  type OutboxItem,
} from '@receipts/storage';

export type DeliveryStatus = 'pending' | 'sent' | 'failed' | 'suppressed';

export interface DeliveryDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly receiptId: string;
  /** The hash of the identifier of the receipt's consumer; absent if there is none, or once they are erased. */
  readonly person?: string;
  /** The number of erasures of the receipt before it was read; absent if zero. */
  readonly erasureCount?: number;
  readonly channel: Channel;
  readonly address: string;
  /** A hash of the address, for the send limits; empty once the address is erased. */
  readonly recipient: string;
  /** For whom the message is, see `Recipients`. */
  readonly recipientId: string;
  /** Set if the receipt is sent on arrival. */
  readonly isAutomatic?: true;
  /** Set if the address was given in the request. It is used even if the consumer has opted out. */
  readonly isExplicit?: true;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly requestedAt: Date;
  readonly updatedAt: Date;
  /** Present while pending: the time of the next attempt, or the end of the current attempt's claim. */
  readonly dueAt?: Date;
  /** When the current attempt, or an attempt whose process crashed, started sending the message. */
  readonly handedOverAt?: Date;
  /** When the message reached the consumer, if the provider has reported this. */
  readonly deliveredAt?: Date;
  readonly version: number;
  readonly requestId: string;
  readonly traceparent?: string;
  readonly outbox?: readonly OutboxItem[];
}

export type NewDelivery = Omit<DeliveryDocument, 'outbox' | 'recipient'>;

/** An attempt claimed by one process. The number of attempts shows whether the claim is still valid. */
export type Claim = Pick<DeliveryDocument, '_id' | 'attempts' | 'dueAt'>;

/** Receipts may be kept for ever, but nobody looks for an older delivery. Longer than any event can be kept. */
const keptSeconds = 400 * 24 * 60 * 60;

export const deliveriesDeclaration: CollectionDeclaration = {
  name: 'deliveries',
  indexes: [
    { name: 'by_receipt', key: { retailer: 1, receiptId: 1, requestedAt: -1 } },
    { name: 'by_recipient', key: { retailer: 1, recipient: 1, requestedAt: -1 } },
    { name: 'by_person', key: { person: 1 }, sparse: true },
    { name: 'due', key: { dueAt: 1 }, sparse: true },
    dueRoundRobinIndex,
    outboxIndex,
    { name: 'expiry', key: { updatedAt: 1 }, expireAfterSeconds: keptSeconds },
  ],
};

interface DeliveryFacts extends Pick<
  DeliveryDocument,
  '_id' | 'receiptId' | 'erasureCount' | 'channel' | 'address' | 'recipientId' | 'isAutomatic' | 'isExplicit'
> {
  /** The consumer of the receipt. */
  readonly identifier: string | null;
}

/** @param objection why the receipt is not sent, so that the delivery is recorded as suppressed; null to send it */
export function newDelivery(
  { identifier, ...facts }: DeliveryFacts,
  { retailer, requestId, traceparent }: Call,
  now: Date,
  objection: string | null = null,
): NewDelivery {
  return {
    ...facts,
    ...(identifier !== null && { person: personHash(identifier) }),
    retailer,
    status: objection === null ? 'pending' : 'suppressed',
    reason: objection,
    attempts: 0,
    requestedAt: now,
    updatedAt: now,
    ...(objection === null && { dueAt: now }),
    version: 1,
    requestId,
    ...(traceparent !== undefined && { traceparent }),
  };
}
