import { tooManyWebhookEndpoints, type deliveryContracts } from '@receipts/contracts';
import { newId, ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { endpointOf, newEndpoint, settingsOf } from '../domain/webhooks/endpoint';
import { endpointsMax } from '../storage/webhook-endpoints';
import { checkEndpoint, newSecret, type WebhookParts } from './webhook-parts';
import { checkWholeRetailer } from './whole-retailer';

export function createWebhookEndpoint(
  parts: WebhookParts,
): Handler<(typeof deliveryContracts)['createWebhookEndpoint']> {
  return async ({ body }, call) => {
    checkWholeRetailer(call);
    const { endpoints, sealer, target, now } = parts;
    const { retailer } = call;
    checkEndpoint(settingsOf(body), await parts.retailer(retailer, call), target);
    if ((await endpoints.count(retailer, deadlineSignal(call))) >= endpointsMax) {
      throw new ServiceError(tooManyWebhookEndpoints);
    }
    const at = now();
    const secret = newSecret();
    const facts = { id: newId(at.getTime()), retailer, sealedSecret: sealer.seal(secret) };
    const endpoint = newEndpoint(facts, body, at);
    await endpoints.add(endpoint, deadlineSignal(call));
    // Only now may the caller rely on it: what happens from here on comes to us.
    await parts.listen({ isNew: true });
    return { body: { ...endpointOf(endpoint, null), secret }, meta: { id: endpoint.id } };
  };
}
