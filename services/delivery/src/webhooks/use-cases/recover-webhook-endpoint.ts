import { epochMsOf, readDateTime, webhookEndpointIsDisabled } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { namedEndpoint, type WebhookDependencies } from './webhook-dependencies';

/** @param text checked by its schema; in UTC if it has no offset */
function timeOf(text: string): Date {
  const written = readDateTime(text);
  if (!written) throw new Error('the schema accepted an invalid date and time');
  return new Date(epochMsOf(written));
}

export function recoverWebhookEndpoint(deps: WebhookDependencies): HandlerOf<'recoverWebhookEndpoint'> {
  return async ({ params, body }, call) => {
    const { id: endpointId, retailer, settings } = await namedEndpoint(deps, params.id, call);
    if (!settings.enabled) throw new ServiceError(webhookEndpointIsDisabled);
    const now = deps.now();
    const { id } = call;
    const order = { retailer, endpointId, status: body.status ?? null, at: timeOf(body.since), until: now };
    await deps.recoveries.add({ _id: id, ...order }, deadlineSignal(call));
    deps.wakeRecoveries();
    return { body: { id } };
  };
}
