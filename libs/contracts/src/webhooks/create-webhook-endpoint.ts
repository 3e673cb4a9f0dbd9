import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { endpoint, postedEndpoint, secretField, tooManyWebhookEndpoints } from './endpoint';

/** All matching events that occur after the response are delivered. */
export const createWebhookEndpoint = defineCommand(
  {
    name: 'delivery.create-webhook-endpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Creates an endpoint that receives events as Standard Webhooks 1.0. The response contains the signing secret, which is returned only once. Events are delivered at least once: `webhook-id` is the id of the event and is the same in all attempts.',
    permission: 'view.manage_webhook',
    http: { method: 'POST', path: '/webhooks/endpoints', success: 201, consumerScoped: true },
    body: json(postedEndpoint),
    output: endpoint.extend({ secret: secretField }),
    meta: z.object({ id: z.string() }),
    errors: [tooManyWebhookEndpoints],
    examples: { request: { url: 'https://shop.example/hooks/receipts', event_types: ['receipt.*'] } },
  },
  { response: ({ id }) => ({ headers: { location: `/webhooks/endpoints/${id}` } }) },
);
