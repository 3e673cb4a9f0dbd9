import { webhookEndpointNotFound, checkWholeRetailer } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import { withNewSecret } from '../domain/endpoint';
import { newSecret, presentSecret, type WebhookParts } from './webhook-parts';

export function rotateWebhookSecret(parts: WebhookParts): Endpoint<'rotateWebhookSecret'> {
  return async ({ params: { id } }, call) => {
    checkWholeRetailer(call);
    const sealed = parts.sealer.seal(newSecret());
    const now = parts.now();
    const saved = await parts.endpoints.update(
      call.retailer,
      id,
      (current) => withNewSecret(current, sealed, call.id, now),
      deadlineSignal(call),
    );
    if (!saved) throw new ServiceError(webhookEndpointNotFound);
    return { body: { secret: presentSecret(saved, parts.sealer) } };
  };
}
