import { setTimeout as pause } from 'node:timers/promises';
import type { deliveryContracts } from '@receipts/contracts';
import { ServiceError, unavailable, type Handler } from '@receipts/kernel';
import { deadlineSignal, type PublishedEvents } from '@receipts/storage';
import type { Deliveries, DeliveryDocument } from '../storage/deliveries';
import type { ReceiptErasures } from '../storage/receipt-erasures';
import type { ReceiptViews } from '../../rendering/storage/receipt-views';

/** Events are usually published, and removed from their documents, within some hundredths of a second. */
const checkEveryMs = 20;
const checksMax = 100;

export interface ForgettingAddresses {
  readonly deliveries: Pick<Deliveries, 'forgetAddresses' | 'idsOf' | 'isTelling'>;
  readonly receiptErasures: Pick<ReceiptErasures, 'count' | 'timesOf'>;
  readonly views: Pick<ReceiptViews, 'isTelling'>;
  readonly eventLog: {
    /** @returns the ids of the events about these subjects */
    forget(retailer: string, subjects: readonly string[], signal: () => AbortSignal): Promise<string[]>;
  };
  readonly webhookDeliveries: {
    /** Removes what receivers answered to these events. */
    forgetAnswers(retailer: string, eventIds: readonly string[], signal: () => AbortSignal): Promise<void>;
  };
  /** Published events of deliveries and views contain addresses. */
  readonly publishedEvents: Pick<PublishedEvents, 'forget'>;
  readonly now: () => Date;
}

/**
 * Erases a consumer: removes their addresses from deliveries and from events, and receivers' answers to these events.
 * It is asked for after the receipts themselves were erased.
 * @throws ServiceError 503 while events with their addresses cannot be published; the request is then repeated
 */
export function forgetAddresses(
  parts: ForgettingAddresses,
): Handler<(typeof deliveryContracts)['forgetAddresses']> {
  return async ({ body: { receipts } }, call) => {
    const { deliveries, receiptErasures, now } = parts;
    const signal = () => deadlineSignal(call);
    await receiptErasures.count(call.retailer, receipts, now(), signal());
    await deliveries.forgetAddresses(call.retailer, { receiptIds: receipts }, now(), signal());
    const sent = await deliveries.idsOf(call.retailer, receipts, signal());
    await forgetEvents(parts, call.retailer, { receipts, subjects: [...receipts, ...sent] }, signal);
    return {};
  };
}

type Added = Pick<DeliveryDocument, '_id' | 'retailer' | 'receiptId' | 'timesForgotten'>;

/**
 * The second look at deliveries of a receipt that were added. If its consumer was erased after the receipt was read, they
 * are forgotten as well.
 * @param signal limits one database call
 * @returns whether they were
 */
export async function forgetLate(
  parts: ForgettingAddresses,
  added: readonly Added[],
  signal: () => AbortSignal,
): Promise<boolean> {
  const [first] = added;
  if (!first) return false;
  const { retailer, receiptId, timesForgotten = 0 } = first;
  const { deliveries, receiptErasures, now } = parts;
  const times = await receiptErasures.timesOf(retailer, receiptId, signal());
  if (times === timesForgotten) return false;
  const ids = added.map(({ _id }) => _id);
  await deliveries.forgetAddresses(retailer, { ids }, now(), signal());
  await forgetEvents(parts, retailer, { receipts: [receiptId], subjects: ids }, signal);
  return true;
}

async function forgetEvents(
  parts: ForgettingAddresses,
  retailer: string,
  { receipts, subjects }: { readonly receipts: readonly string[]; readonly subjects: readonly string[] },
  signal: () => AbortSignal,
): Promise<void> {
  const { eventLog, webhookDeliveries, publishedEvents } = parts;
  await untilAllIsTold(parts, retailer, receipts, signal);
  await publishedEvents.forget(retailer, subjects, signal());
  const events = await eventLog.forget(retailer, subjects, signal);
  await webhookDeliveries.forgetAnswers(retailer, events, signal);
}

/** Waits, because an event that is being published now would be recorded after its removal. */
async function untilAllIsTold(
  { deliveries, views }: ForgettingAddresses,
  retailer: string,
  receipts: readonly string[],
  signal: () => AbortSignal,
): Promise<void> {
  for (let check = 0; check < checksMax; check++) {
    const isTelling =
      (await deliveries.isTelling(retailer, receipts, signal())) ||
      (await views.isTelling(retailer, receipts, signal()));
    if (!isTelling) return;
    await pause(checkEveryMs);
  }
  throw new ServiceError(unavailable, { internal: 'events of the deliveries are not out' });
}
