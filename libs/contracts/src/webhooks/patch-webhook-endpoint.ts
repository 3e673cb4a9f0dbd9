import { defineCommand, jsonVariants, patchErrors } from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import { endpoint, endpointChanges, endpointParams, webhookEndpointNotFound } from './endpoint';

/** Changes an endpoint's URL or events, disables it, or enables it again. */
export const patchWebhookEndpoint = defineCommand(
  {
    name: 'delivery.patch-webhook-endpoint',
    summary: 'Patch a webhook endpoint',
    description:
      'Accepts a JSON object with the fields to change, or a JSON Patch (RFC 6902). Enabling an endpoint resets its failures; `_recover` sends the events that occurred while it was disabled.',
    permission: 'view.manage_webhook',
    http: { method: 'PATCH', path: '/webhooks/endpoints/{id}', success: 200, consumerScoped: true },
    params: endpointParams,
    headers: ifMatchHeaders,
    // The service validates the JSON Patch document, and the patched endpoint with all its errors.
    body: jsonVariants({ 'application/json': endpointChanges, 'application/json-patch+json': z.unknown() }),
    output: endpoint,
    meta: z.object({ etag: z.string() }),
    errors: [webhookEndpointNotFound, ...patchErrors],
    examples: { request: { enabled: true } },
  },
  { response: ({ etag }) => ({ headers: { etag } }) },
);
