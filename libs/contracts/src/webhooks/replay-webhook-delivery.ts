import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import {
  webhookDeliveryInProgress,
  webhookDeliveryNotFound,
  webhookEndpointIsDisabled,
  webhookEventExpired,
} from './webhook-delivery';
import { consumerNotAllowed } from './endpoint';

/** For integrators that have fixed the cause of a failed delivery, or have lost its data. */
export const replayWebhookDelivery = defineCommand({
  name: 'delivery.replay-webhook-delivery',
  summary: 'Replay a webhook delivery',
  description:
    'Posts the event again at once, with the same `webhook-id`, and begins the schedule of attempts anew. While an attempt is being made, which takes 15 seconds at most, it is 409 and that attempt goes on.',
  permission: 'view.manage_webhook',
  http: { method: 'POST', path: '/webhooks/deliveries/{id}/_replay', success: 202 },
  params: z.object({ id: z.string().max(128) }),
  output: z.object({ id: z.string().meta({ description: 'The id of the replayed delivery.' }) }),
  errors: [
    consumerNotAllowed,
    webhookDeliveryNotFound,
    webhookDeliveryInProgress,
    webhookEndpointIsDisabled,
    webhookEventExpired,
  ],
});
