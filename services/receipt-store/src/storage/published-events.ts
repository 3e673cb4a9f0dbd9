import {
  receiptAssigned,
  receiptDeleted,
  receiptGiftCreated,
  receiptUpdated,
  receiptVoided,
  type ReturnedReceipt,
} from '@receipts/contracts';
import type { SerializedEvent } from '@receipts/kernel';
import { createdOrigin } from './arrivals';
import type { DeletedReceipt, ReceiptDocument, PublishedOrigin } from './receipt-document';
import {
  assignedEvent,
  checkFailedEvents,
  createdEvent,
  deletedEvent,
  giftCreatedEvent,
  updatedEvent,
  voidedEvent,
} from './receipt-event';

/** The maximum number of events kept per receipt: more changes between two checks are not expected. */
const publishedMax = 12;

const changeEvents = new Map<string, typeof updatedEvent>([
  [receiptUpdated.type, updatedEvent],
  [receiptAssigned.type, assignedEvent],
  [receiptVoided.type, voidedEvent],
]);

/** The events that are kept after a change, including earlier events, because several may be lost together. */
export function publishedAfter(
  before: readonly PublishedOrigin[],
  events: readonly SerializedEvent[],
  { version, by }: Pick<PublishedOrigin, 'version' | 'by'>,
): readonly PublishedOrigin[] {
  const published = events
    .filter(({ isInternal }) => !isInternal)
    .map(({ id, type, at, correlationId: request, traceparent: trace }) => ({
      id,
      type,
      version,
      at: new Date(at),
      request,
      ...(trace !== undefined && { trace }),
      ...(by !== undefined && { by }),
    }));
  return [...before, ...published].slice(-publishedMax);
}

/** The source of a receipt's events. */
export type PublishedReceipt = Pick<
  ReceiptDocument,
  '_id' | 'retailer' | 'version' | 'published' | 'transaction_id'
> &
  Partial<
    Pick<ReceiptDocument, 'created' | 'text' | 'outbox' | 'gifts'> & Pick<DeletedReceipt, 'deleted_at'>
  >;

/** The ids of the events that `rebuildPublishedEvents` returns. */
export function publishedIds({
  created,
  published = [],
}: Pick<PublishedReceipt, 'created' | 'published'>): string[] {
  const ofCreation = [created?.event, created?.checkFailed].filter((id) => id !== undefined);
  return [...ofCreation, ...published.map(({ id }) => id)];
}

/** The published events of a receipt, with the same ids. They contain the receipt's current state. */
export function rebuildPublishedEvents(document: PublishedReceipt): SerializedEvent[] {
  const { _id: id, retailer, transaction_id, text, published = [], gifts = [] } = document;
  const receipt = text === undefined ? undefined : (JSON.parse(text) as ReturnedReceipt);
  const created = createdOrigin(document);
  const first =
    created && receipt && text !== undefined
      ? [
          createdEvent({ receipt, text, version: 1 }, created),
          ...checkFailedEvents(receipt, document.created, created),
        ]
      : [];
  const later = published.flatMap(({ id: event, type, version, at, request, trace }) => {
    const origin = { id: event, at, retailer, requestId: request };
    const traced = trace === undefined ? origin : { ...origin, traceparent: trace };
    if (type === receiptDeleted.type) return [deletedEvent({ id, transaction_id, version }, traced)];
    const gift = gifts.find((one) => one.version === version);
    const eventOf =
      type === receiptGiftCreated.type ? gift && giftCreatedEvent(gift) : changeEvents.get(type);
    return eventOf && receipt && text !== undefined ? [eventOf({ receipt, text, version }, traced)] : [];
  });
  return [...first, ...later];
}
