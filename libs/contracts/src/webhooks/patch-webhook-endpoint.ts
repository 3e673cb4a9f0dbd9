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

/** Moves an endpoint, narrows what it gets, turns it off, or on again. */
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
    // The owner checks the JSON Patch document and, after it, the whole result with every fault.
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
