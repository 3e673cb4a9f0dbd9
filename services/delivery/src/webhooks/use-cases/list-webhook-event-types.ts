import { schemaPathOf } from '@receipts/kernel';
import { integratorEvents } from '@receipts/contracts';
import type { HandlerOf } from '../../handler-of';

const eventTypes = integratorEvents.map((contract) => {
  const { type, summary, description } = contract;
  return { type, summary, description, schema: schemaPathOf(contract) };
});

export function listWebhookEventTypes(): HandlerOf<'listWebhookEventTypes'> {
  return () => Promise.resolve({ body: { event_types: eventTypes } });
}
