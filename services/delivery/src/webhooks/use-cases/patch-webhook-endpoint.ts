import {
  postedEndpoint,
  webhookEndpointNotFound,
  webhookEndpointSettings,
  type WebhookEndpointSettings,
} from '@receipts/contracts';
import { applyPatch, checkIfMatch, entityTag } from '@receipts/json-patch';
import { check, ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { endpointOf, settingsOf, withSettings } from '../domain/endpoint';
import { checkEndpoint, namedEndpoint, type WebhookDependencies } from './webhook-dependencies';

const jsonPatchType = 'application/json-patch+json';
const ownFields: ReadonlySet<string> = new Set(Object.keys(webhookEndpointSettings.shape));

export function patchWebhookEndpoint(deps: WebhookDependencies): HandlerOf<'patchWebhookEndpoint'> {
  return async ({ params: { id }, headers, body, contentType }, call) => {
    await namedEndpoint(deps, id, call);
    const retailer = await deps.retailer(call.retailer, call);
    const signal = deadlineSignal(call);
    const lease = await deps.endpointLeases.find(id, signal);
    const now = deps.now();
    let wasEnabled = true;
    const saved = await deps.endpoints.update(
      call.retailer,
      id,
      (current) => {
        checkIfMatch(headers?.['if-match'], current.version);
        wasEnabled = current.settings.enabled;
        const before = endpointOf(current, lease?.failingSince ?? null);
        const after =
          contentType === jsonPatchType
            ? applyPatch(before, body, {
                isModifiable: ([field]) => field !== undefined && ownFields.has(field),
              })
            : { ...before, ...(body as Partial<WebhookEndpointSettings>) };
        const chosen = Object.entries(after as object).filter(([field]) => ownFields.has(field));
        // Removed members get their defaults again.
        const settings = settingsOf(check(postedEndpoint, Object.fromEntries(chosen)));
        checkEndpoint(settings, retailer, deps.target);
        return withSettings(current, settings, now);
      },
      signal,
    );
    if (!saved) throw new ServiceError(webhookEndpointNotFound);
    const isBack = saved.settings.enabled && !wasEnabled;
    if (isBack && lease?.failingSince) await deps.endpointLeases.recovered(id, signal);
    const endpoint = endpointOf(saved, isBack ? null : (lease?.failingSince ?? null));
    return { body: endpoint, meta: { etag: entityTag(saved.version) } };
  };
}
