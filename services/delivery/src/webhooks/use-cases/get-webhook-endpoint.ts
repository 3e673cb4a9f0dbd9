import { entityTag } from '@receipts/json-patch';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { endpointOf } from '../domain/endpoint';
import { namedEndpoint, type WebhookDependencies } from './webhook-dependencies';

export function getWebhookEndpoint(deps: WebhookDependencies): HandlerOf<'getWebhookEndpoint'> {
  return async ({ params: { id } }, call) => {
    const record = await namedEndpoint(deps, id, call);
    const lease = await deps.endpointLeases.find(id, deadlineSignal(call));
    return {
      body: endpointOf(record, lease?.failingSince ?? null),
      meta: { etag: entityTag(record.version) },
    };
  };
}
