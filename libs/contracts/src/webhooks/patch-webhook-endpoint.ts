import {
  concurrentWrite,
  defineCommand,
  fieldNotModifiable,
  jsonVariants,
  malformedPatch,
  patchNotApplicable,
  patchTestFailed,
  preconditionFailed,
} from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import {
  consumerNotAllowed,
  endpoint,
  endpointChanges,
  endpointParams,
  webhookEndpointNotFound,
} from './endpoint';

/** Changes an endpoint's URL or events, disables it, or enables it again. */
export const patchWebhookEndpoint = defineCommand(
  {
    name: 'delivery.patch-webhook-endpoint',
    summary: 'Patch a webhook endpoint',
    description:
      'A JSON object of the fields to change, or JSON Patch (RFC 6902) over all of them. Enabling an endpoint forgets its failures; what happened while it was disabled is sent by `_recover`.',
    permission: 'view.manage_webhook',
    http: { method: 'PATCH', path: '/webhooks/endpoints/{id}', success: 200 },
    params: endpointParams,
    headers: ifMatchHeaders,
    // The service validates the JSON Patch document, and the patched endpoint with all its errors.
    body: jsonVariants({ 'application/json': endpointChanges, 'application/json-patch+json': z.unknown() }),
    output: endpoint,
    meta: z.object({ etag: z.string() }),
    errors: [
      consumerNotAllowed,
      webhookEndpointNotFound,
      malformedPatch,
      patchNotApplicable,
      fieldNotModifiable,
      patchTestFailed,
      preconditionFailed,
      concurrentWrite,
    ],
    examples: { request: { enabled: true } },
  },
  { answer: ({ etag }) => ({ headers: { etag } }) },
);
