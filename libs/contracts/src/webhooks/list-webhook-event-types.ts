import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

export const listWebhookEventTypes = defineQuery({
  name: 'delivery.list-webhook-event-types',
  summary: 'List the event types',
  description: 'Returns the event types that webhook endpoints and the event feed can select.',
  permission: 'view.manage_webhook',
  http: { method: 'GET', path: '/webhooks/event_types', success: 200, consumerScoped: true },
  output: z.object({
    event_types: z
      .array(
        z.object({
          type: z.string().meta({ description: 'The name of the event type, such as `receipt.created`.' }),
          summary: z.string().meta({ description: 'The title of the event type.' }),
          description: z.string().meta({ description: 'When the event occurs and what it contains.' }),
          schema: z
            .string()
            .meta({ description: 'The path of the JSON Schema of its `data`, relative to the base URL.' }),
        }),
      )
      .meta({ description: 'All event types, sorted by name.' }),
  }),
});
