import { consumerNotAllowed, defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { endpoint, postedEndpoint, secretField, tooManyWebhookEndpoints } from './endpoint';

/** All matching events are delivered from the time of the response. */
export const createWebhookEndpoint = defineCommand(
  {
    name: 'delivery.create-webhook-endpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Creates an endpoint to which events are posted as Standard Webhooks 1.0, signed with the secret in the response, which is returned only once. Events are delivered at least once: `webhook-id` is the id of the event, and is the same in all attempts.',
    permission: 'view.manage_webhook',
    http: { method: 'POST', path: '/webhooks/endpoints', success: 201 },
    body: json(postedEndpoint),
    output: endpoint.extend({ secret: secretField }),
    meta: z.object({ id: z.string() }),
    errors: [consumerNotAllowed, tooManyWebhookEndpoints],
    examples: { request: { url: 'https://shop.example/hooks/receipts', event_types: ['receipt.*'] } },
  },
  { answer: ({ id }) => ({ headers: { location: `/webhooks/endpoints/${id}` } }) },
);
