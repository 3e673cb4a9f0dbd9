import { webhookEndpointNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import type { WebhookDependencies } from './webhook-dependencies';

export function deleteWebhookEndpoint(deps: WebhookDependencies): HandlerOf<'deleteWebhookEndpoint'> {
  return async ({ params: { id } }, call) => {
    const { retailer } = call;
    const signal = deadlineSignal(call);
    if (!(await deps.endpoints.remove(retailer, id, signal))) throw new ServiceError(webhookEndpointNotFound);
    await Promise.all([
      deps.endpointLeases.remove(id, signal),
      deps.recoveries.removeOf(retailer, id, signal),
      deps.webhookDeliveries.removeOf({ retailer, endpointId: id }, signal),
    ]);
    return {};
  };
}
