import { webhookEndpointNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { withNewSecret } from '../domain/endpoint';
import { newSecret, presentSecret, type WebhookDependencies } from './webhook-dependencies';

export function rotateWebhookSecret(deps: WebhookDependencies): HandlerOf<'rotateWebhookSecret'> {
  return async ({ params: { id } }, call) => {
    const sealed = deps.sealer.seal(newSecret());
    const now = deps.now();
    const saved = await deps.endpoints.update(
      call.retailer,
      id,
      (current) => withNewSecret(current, sealed, call.id, now),
      deadlineSignal(call),
    );
    if (!saved) throw new ServiceError(webhookEndpointNotFound);
    return { body: { secret: presentSecret(saved, deps.sealer) } };
  };
}
