import { entityTag } from '@receipts/json-patch';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import { endpointOf } from '../domain/endpoint';
import { namedEndpoint, type WebhookDependencies } from './webhook-dependencies';

export function getWebhookEndpoint(deps: WebhookDependencies): Endpoint<'getWebhookEndpoint'> {
  return async ({ params: { id } }, call) => {
    const record = await namedEndpoint(deps, id, call);
    const lease = await deps.endpointLeases.find(id, deadlineSignal(call));
    return {
      body: endpointOf(record, lease?.failingSince ?? null),
      meta: { etag: entityTag(record.version) },
    };
  };
}
