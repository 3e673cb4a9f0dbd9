import type { deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal, type ToldEvents } from '@receipts/storage';
import type { Deliveries } from '../storage/deliveries';
import type { EventLog } from '../storage/event-log';
import type { WebhookDeliveries } from '../storage/webhook-deliveries';

/** Erases a consumer: removes their addresses from deliveries and from events, and receivers' answers to these events. */
export function forgetAddresses(parts: {
  deliveries: Deliveries;
  eventLog: Pick<EventLog, 'forget'>;
  webhookDeliveries: Pick<WebhookDeliveries, 'forgetAnswers'>;
  /** Published events of deliveries and views contain addresses. */
  told: Pick<ToldEvents, 'forget'>;
  now: () => Date;
}): Handler<(typeof deliveryContracts)['forgetAddresses']> {
  return async ({ body: { receipts } }, call) => {
    const { deliveries, eventLog, webhookDeliveries, told, now } = parts;
    const signal = () => deadlineSignal(call);
    await deliveries.forgetAddresses(call.retailer, receipts, now(), signal());
    const sent = await deliveries.idsOf(call.retailer, receipts, signal());
    await told.forget(call.retailer, [...receipts, ...sent], signal());
    const events = await eventLog.forget(call.retailer, [...receipts, ...sent], signal);
    await webhookDeliveries.forgetAnswers(call.retailer, events, signal);
    return {};
  };
}
