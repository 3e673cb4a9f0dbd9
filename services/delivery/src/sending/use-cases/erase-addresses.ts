import { pause, ServiceError, unavailable } from '@receipts/kernel';
import { deadlineSignal, type PublishedEvents } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import type { Deliveries } from '../storage/deliveries';
import type { DeliveryDocument } from '../storage/delivery-document';
import type { ReceiptErasures } from '../storage/receipt-erasures';
import type { ReceiptViews } from '../../rendering/storage/receipt-views';

/** Events are usually published, and removed from their documents, within a few hundredths of a second. */
const pollMs = 20;
const pollsMax = 100;

export interface AddressErasure {
  readonly deliveries: Pick<Deliveries, 'eraseAddresses' | 'idsOf' | 'hasUnpublishedEvents'>;
  readonly receiptErasures: Pick<ReceiptErasures, 'count' | 'timesOf'>;
  readonly views: Pick<ReceiptViews, 'hasUnpublishedEvents'>;
  readonly eventLog: {
    /** @returns the ids of the events about these subjects */
    forget(retailer: string, subjects: readonly string[], signal: () => AbortSignal): Promise<string[]>;
  };
  readonly webhookDeliveries: {
    /** Removes the receivers' responses to these events. */
    eraseResponses(retailer: string, eventIds: readonly string[], signal: () => AbortSignal): Promise<void>;
  };
  /** Published events of deliveries and views contain addresses. */
  readonly publishedEvents: Pick<PublishedEvents, 'forget'>;
  readonly now: () => Date;
}

/**
 * Erases a consumer: removes their addresses from deliveries and from events, and receivers' responses to these events.
 * Requested after the receipts themselves were erased.
 * @throws ServiceError 503 while events with their addresses cannot be published; the request is then retried
 */
export function eraseAddresses(parts: AddressErasure): Endpoint<'eraseAddresses'> {
  return async ({ body: { receipts } }, call) => {
    const { deliveries, receiptErasures, now } = parts;
    const signal = () => deadlineSignal(call);
    await receiptErasures.count(call.retailer, receipts, now(), signal());
    await deliveries.eraseAddresses(call.retailer, { receiptIds: receipts }, now(), signal());
    const sent = await deliveries.idsOf(call.retailer, receipts, signal());
    await eraseEvents(parts, call.retailer, { receipts, subjects: [...receipts, ...sent] }, signal);
    return {};
  };
}

type Added = Pick<DeliveryDocument, '_id' | 'retailer' | 'receiptId' | 'erasureCount'>;

/**
 * The second check of new deliveries of a receipt. If the consumer was erased after the receipt was read, the
 * deliveries are erased as well.
 * @param signal limits one database call
 * @returns whether the deliveries were erased
 */
export async function eraseIfConsumerErased(
  parts: AddressErasure,
  added: readonly Added[],
  signal: () => AbortSignal,
): Promise<boolean> {
  const [first] = added;
  if (!first) return false;
  const { retailer, receiptId, erasureCount = 0 } = first;
  const { deliveries, receiptErasures, now } = parts;
  const times = await receiptErasures.timesOf(retailer, receiptId, signal());
  if (times === erasureCount) return false;
  const ids = added.map(({ _id }) => _id);
  await deliveries.eraseAddresses(retailer, { ids }, now(), signal());
  await eraseEvents(parts, retailer, { receipts: [receiptId], subjects: ids }, signal);
  return true;
}

async function eraseEvents(
  parts: AddressErasure,
  retailer: string,
  { receipts, subjects }: { readonly receipts: readonly string[]; readonly subjects: readonly string[] },
  signal: () => AbortSignal,
): Promise<void> {
  const { eventLog, webhookDeliveries, publishedEvents } = parts;
  await waitUntilPublished(parts, retailer, receipts, signal);
  await publishedEvents.forget(retailer, subjects, signal());
  const events = await eventLog.forget(retailer, subjects, signal);
  await webhookDeliveries.eraseResponses(retailer, events, signal);
}

/** Waits, because an event that is being published now would otherwise be recorded after its removal. */
async function waitUntilPublished(
  { deliveries, views }: AddressErasure,
  retailer: string,
  receipts: readonly string[],
  signal: () => AbortSignal,
): Promise<void> {
  for (let check = 0; check < pollsMax; check++) {
    const hasUnpublishedEvents =
      (await deliveries.hasUnpublishedEvents(retailer, receipts, signal())) ||
      (await views.hasUnpublishedEvents(retailer, receipts, signal()));
    if (!hasUnpublishedEvents) return;
    await pause(pollMs);
  }
  throw new ServiceError(unavailable, { internal: 'events of the deliveries are not published yet' });
}
