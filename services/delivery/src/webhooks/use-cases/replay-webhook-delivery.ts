import {
  webhookDeliveryInProgress,
  webhookDeliveryNotFound,
  webhookEndpointIsDisabled,
  webhookEventExpired,
} from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import type { WebhookDependencies } from './webhook-dependencies';

export function replayWebhookDelivery(deps: WebhookDependencies): HandlerOf<'replayWebhookDelivery'> {
  return async ({ params: { id } }, call) => {
    const { retailer } = call;
    const { webhookDeliveries, endpoints, eventLog, endpointLeases } = deps;
    const signal = deadlineSignal(call);
    const delivery = await webhookDeliveries.find(retailer, id, signal);
    const endpoint = delivery && (await endpoints.find(retailer, delivery.endpointId, signal));
    if (!delivery || !endpoint) throw new ServiceError(webhookDeliveryNotFound);
    if (!endpoint.settings.enabled && !delivery.event) throw new ServiceError(webhookEndpointIsDisabled);
    const event = delivery.event ?? (await eventLog.find(retailer, delivery.eventId, signal));
    if (!event) throw new ServiceError(webhookEventExpired);
    const now = deps.now();
    if (!(await webhookDeliveries.restart(retailer, id, call.id, now, signal)))
      throw new ServiceError(webhookDeliveryInProgress);
    await endpointLeases.wake([{ id: endpoint.id, retailer }], now, signal);
    deps.wakeWebhooks();
    return { body: { id } };
  };
}
