import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { consumerNotAllowed, endpoint, endpointParams, webhookEndpointNotFound } from './endpoint';

export const getWebhookEndpoint = defineQuery(
  {
    name: 'delivery.get-webhook-endpoint',
    summary: 'Get a webhook endpoint',
    description: 'Without its secret.',
    permission: 'view.manage_webhook',
    http: { method: 'GET', path: '/webhooks/endpoints/{id}', success: 200 },
    params: endpointParams,
    query: z.object({ pretty: flag('Readable formatting').optional() }),
    output: endpoint,
    meta: z.object({ etag: z.string() }),
    errors: [consumerNotAllowed, webhookEndpointNotFound],
  },
  { answer: ({ etag }) => ({ headers: { etag } }) },
);
