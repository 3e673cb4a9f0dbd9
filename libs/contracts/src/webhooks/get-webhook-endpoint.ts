import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { endpoint, endpointParams, webhookEndpointNotFound } from './endpoint';

export const getWebhookEndpoint = defineQuery(
  {
    name: 'delivery.get-webhook-endpoint',
    summary: 'Get a webhook endpoint',
    description: 'Returns the webhook endpoint without its secret.',
    permission: 'view.manage_webhook',
    http: { method: 'GET', path: '/webhooks/endpoints/{id}', success: 200, consumerScoped: true },
    params: endpointParams,
    output: endpoint,
    meta: z.object({ etag: z.string() }),
    errors: [webhookEndpointNotFound],
  },
  { response: ({ etag }) => ({ headers: { etag } }) },
);
