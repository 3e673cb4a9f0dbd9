import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import {
  consumerNotAllowed,
  endpoint,
  postedEndpoint,
  secretField,
  tooManyWebhookEndpoints,
} from './endpoint';

/** All matching events are delivered from the time of the response. */
export const createWebhookEndpoint = defineCommand(
  {
    name: 'delivery.create-webhook-endpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Events are posted to it as Standard Webhooks 1.0, signed with the secret of the answer, which is shown here only. Delivery is at least once: `webhook-id` is the id of the event and the same in every attempt.',
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
