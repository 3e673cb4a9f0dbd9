import type { deliveryContracts } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { endpointOf } from '../domain/endpoint';
import { namedEndpoint, type WebhookParts } from './webhook-parts';

export function getWebhookEndpoint(
  parts: WebhookParts,
): Handler<(typeof deliveryContracts)['getWebhookEndpoint']> {
  return async ({ params: { id } }, call) => {
    const record = await namedEndpoint(parts, id, call);
    const lease = await parts.endpointLeases.find(id, deadlineSignal(call));
    return {
      body: endpointOf(record, lease?.failingSince ?? null),
      meta: { etag: entityTag(record.version) },
    };
  };
}
