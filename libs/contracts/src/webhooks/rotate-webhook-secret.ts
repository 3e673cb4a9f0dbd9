import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { endpointParams, secretField, webhookEndpointNotFound } from './endpoint';

/** Replaces a compromised secret without interrupting the receiver. */
export const rotateWebhookSecret = defineCommand({
  name: 'delivery.rotate-webhook-secret',
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'Replaces the secret and returns the new secret. For 24 hours, `webhook-signature` also contains a signature with the old secret.',
  permission: 'view.manage_webhook',
  http: {
    method: 'POST',
    path: '/webhooks/endpoints/{id}/_rotate_secret',
    success: 200,
    consumerScoped: true,
  },
  params: endpointParams,
  output: z.object({ secret: secretField }),
  errors: [webhookEndpointNotFound, concurrentWrite],
});
