import { webhookEndpointNotFound, checkWholeRetailer } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import type { WebhookParts } from './webhook-parts';

export function deleteWebhookEndpoint(parts: WebhookParts): Endpoint<'deleteWebhookEndpoint'> {
  return async ({ params: { id } }, call) => {
    checkWholeRetailer(call);
    const { retailer } = call;
    const signal = deadlineSignal(call);
    if (!(await parts.endpoints.remove(retailer, id, signal)))
      throw new ServiceError(webhookEndpointNotFound);
    await Promise.all([
      parts.endpointLeases.remove(id, signal),
      parts.recoveries.removeOf(retailer, id, signal),
      parts.webhookDeliveries.removeOf({ retailer, endpointId: id }, signal),
    ]);
    return {};
  };
}
