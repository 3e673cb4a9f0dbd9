import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { endpointParams, webhookEndpointNotFound } from './endpoint';

/** Tests whether the receiver is reachable and accepts the signature before real events are sent. */
export const testWebhookEndpoint = defineCommand({
  name: 'delivery.test-webhook-endpoint',
  summary: 'Test a webhook endpoint',
  description:
    'Posts an event of type `webhook.test` once, even to a disabled endpoint. The list of deliveries shows the result.',
  permission: 'view.manage_webhook',
  http: { method: 'POST', path: '/webhooks/endpoints/{id}/_test', success: 202, consumerScoped: true },
  params: endpointParams,
  output: z.object({ id: z.string().meta({ description: 'The id of the delivery of the test event.' }) }),
  errors: [webhookEndpointNotFound],
});
