import { setTimeout as pause } from 'node:timers/promises';
import type { deliveryContracts } from '@receipts/contracts';
import { ServiceError, unavailable, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal, type ToldEvents } from '@receipts/storage';
import type { Deliveries } from '../storage/deliveries';
import type { EventLog } from '../storage/event-log';
import type { ReceiptViews } from '../storage/receipt-views';
import type { WebhookDeliveries } from '../storage/webhook-deliveries';

/** Events are usually published, and removed from their documents, within some hundredths of a second. */
const checkEveryMs = 20;
const checksMax = 100;

export interface ForgettingAddresses {
  readonly deliveries: Pick<Deliveries, 'forgetAddresses' | 'idsOf' | 'isTelling'>;
  readonly views: Pick<ReceiptViews, 'isTelling'>;
  readonly eventLog: Pick<EventLog, 'forget'>;
  readonly webhookDeliveries: Pick<WebhookDeliveries, 'forgetAnswers'>;
  /** Published events of deliveries and views contain addresses. */
  readonly told: Pick<ToldEvents, 'forget'>;
  readonly now: () => Date;
}

/**
 * Erases a consumer: removes their addresses from deliveries and from events, and receivers' answers to these events.
 * @throws ServiceError 503 while events with their addresses cannot be published; the request is then repeated
 */
export function forgetAddresses(
  parts: ForgettingAddresses,
): Handler<(typeof deliveryContracts)['forgetAddresses']> {
  return async ({ body: { receipts } }, call) => {
    const { deliveries, eventLog, webhookDeliveries, told, now } = parts;
    const signal = () => deadlineSignal(call);
    await deliveries.forgetAddresses(call.retailer, receipts, now(), signal());
    const sent = await deliveries.idsOf(call.retailer, receipts, signal());
    await untilAllIsTold(parts, receipts, call);
    await told.forget(call.retailer, [...receipts, ...sent], signal());
    const events = await eventLog.forget(call.retailer, [...receipts, ...sent], signal);
    await webhookDeliveries.forgetAnswers(call.retailer, events, signal);
    return {};
  };
}

/** Waits, because an event that is being published now would be recorded after its removal. */
async function untilAllIsTold(
  { deliveries, views }: ForgettingAddresses,
  receipts: readonly string[],
  call: Call,
): Promise<void> {
  for (let check = 0; check < checksMax; check++) {
    const signal = deadlineSignal(call);
    const isTelling =
      (await deliveries.isTelling(call.retailer, receipts, signal)) ||
      (await views.isTelling(call.retailer, receipts, signal));
    if (!isTelling) return;
    await pause(checkEveryMs);
  }
  throw new ServiceError(unavailable, { internal: 'events of the deliveries are not out' });
}
