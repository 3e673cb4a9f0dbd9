import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { newWebhookDelivery, testType } from '../storage/webhook-delivery-document';
import { namedEndpoint, type WebhookDependencies } from './webhook-dependencies';

const keptMs = 24 * 60 * 60_000;

export function testWebhookEndpoint(deps: WebhookDependencies): HandlerOf<'testWebhookEndpoint'> {
  return async ({ params }, call) => {
    const { id, retailer, settings } = await namedEndpoint(deps, params.id, call);
    const now = deps.now();
    const eventId = call.id;
    const data = { endpoint_id: id, description: settings.description };
    const event = { id: eventId, type: testType, time: now.toISOString(), data };
    const delivery = newWebhookDelivery(
      { retailer, endpointId: id, eventId, eventAt: now, type: testType, event },
      now,
      keptMs,
    );
    const signal = deadlineSignal(call);
    await deps.webhookDeliveries.add([delivery], signal);
    await deps.endpointLeases.wake([{ id, retailer }], now, signal);
    deps.wakeWebhooks();
    return { body: { id: delivery._id } };
  };
}
