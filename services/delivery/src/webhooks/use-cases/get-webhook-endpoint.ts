import { entityTag } from '@receipts/json-patch';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import { endpointOf } from '../domain/endpoint';
import { namedEndpoint, type WebhookParts } from './webhook-parts';

export function getWebhookEndpoint(parts: WebhookParts): Endpoint<'getWebhookEndpoint'> {
  return async ({ params: { id } }, call) => {
    const record = await namedEndpoint(parts, id, call);
    const lease = await parts.endpointLeases.find(id, deadlineSignal(call));
    return {
      body: endpointOf(record, lease?.failingSince ?? null),
      meta: { etag: entityTag(record.version) },
    };
  };
}
