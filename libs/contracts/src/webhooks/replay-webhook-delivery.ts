import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import {
  webhookDeliveryInProgress,
  webhookDeliveryNotFound,
  webhookEndpointIsDisabled,
  webhookEventExpired,
} from './webhook-delivery';

/** For integrators that have fixed the cause of a failed delivery, or have lost its data. */
export const replayWebhookDelivery = defineCommand({
  name: 'delivery.replay-webhook-delivery',
  summary: 'Replay a webhook delivery',
  description:
    'Sends the event again immediately, with the same `webhook-id` and a new schedule of attempts. During an attempt, which takes at most 15 seconds, the response is 409.',
  permission: 'view.manage_webhook',
  http: { method: 'POST', path: '/webhooks/deliveries/{id}/_replay', success: 202, consumerScoped: true },
  params: z.object({
    id: z
      .string()
      .max(128)
      .meta({ description: 'The id of the webhook delivery.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
  }),
  output: z.object({ id: z.string().meta({ description: 'The id of the replayed delivery.' }) }),
  errors: [
    webhookDeliveryNotFound,
    webhookDeliveryInProgress,
    webhookEndpointIsDisabled,
    webhookEventExpired,
  ],
});
