import { schemaPathOf } from '@receipts/kernel';
import { integratorEvents } from '@receipts/contracts';
import type { Endpoint } from '../../endpoint';

const eventTypes = integratorEvents.map((contract) => {
  const { type, summary, description } = contract;
  return { type, summary, description, schema: schemaPathOf(contract) };
});

export function listWebhookEventTypes(): Endpoint<'listWebhookEventTypes'> {
  return () => Promise.resolve({ body: { event_types: eventTypes } });
}
