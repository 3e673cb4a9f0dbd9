import { defineCommand } from '@receipts/kernel';
import { endpointParams, webhookEndpointNotFound } from './endpoint';

export const deleteWebhookEndpoint = defineCommand({
  name: 'delivery.delete-webhook-endpoint',
  summary: 'Delete a webhook endpoint',
  description: 'Deletes the endpoint with all its deliveries, including pending deliveries.',
  permission: 'view.manage_webhook',
  http: { method: 'DELETE', path: '/webhooks/endpoints/{id}', success: 204, consumerScoped: true },
  params: endpointParams,
  errors: [webhookEndpointNotFound],
});
