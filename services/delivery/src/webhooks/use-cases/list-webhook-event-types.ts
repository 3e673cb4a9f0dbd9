import { integratorEvents, type deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { checkWholeRetailer } from './whole-retailer';

const eventTypes = integratorEvents.map(({ type, summary, description }) => ({
  type,
  summary,
  description,
  schema: `/schemas/${type}/1`,
}));

export function listWebhookEventTypes(): Handler<(typeof deliveryContracts)['listWebhookEventTypes']> {
  return async (_input, call) => {
    checkWholeRetailer(call);
    return Promise.resolve({ body: { event_types: eventTypes } });
  };
}
