import { checkWholeRetailer } from '@receipts/kernel';
import { integratorEvents } from '@receipts/contracts';
import type { Endpoint } from '../../endpoint';

const eventTypes = integratorEvents.map(({ type, summary, description }) => ({
  type,
  summary,
  description,
  schema: `/schemas/${type}/1`,
}));

export function listWebhookEventTypes(): Endpoint<'listWebhookEventTypes'> {
  return async (_input, call) => {
    checkWholeRetailer(call);
    return Promise.resolve({ body: { event_types: eventTypes } });
  };
}
