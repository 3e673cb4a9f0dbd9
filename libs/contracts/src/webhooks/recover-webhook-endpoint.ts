import { defineCommand, json, wording } from '@receipts/kernel';
import { z } from 'zod';
import { readDateTime } from '../shared/date-time';
import { endpointParams, webhookEndpointNotFound } from './endpoint';
import { webhookDeliveryStatuses, webhookEndpointIsDisabled } from './webhook-delivery';

/** Sends the events that an endpoint missed while it was unreachable or disabled. */
export const recoverWebhookEndpoint = defineCommand({
  name: 'delivery.recover-webhook-endpoint',
  summary: 'Resend missed events to a webhook endpoint',
  description:
    'Resends the events that the endpoint has missed since a given time: those whose delivery failed, and those that occurred while it was disabled. They are sent in the background, oldest first.',
  permission: 'view.manage_webhook',
  http: { method: 'POST', path: '/webhooks/endpoints/{id}/_recover', success: 202, consumerScoped: true },
  params: endpointParams,
  body: json(
    z.strictObject({
      since: z
        .string()
        .refine((text) => readDateTime(text) !== undefined, {
          error: wording.dateTime,
          params: { code: 'invalid_format' },
        })
        .meta({
          format: 'date-time',
          description: 'The time from which events are sent again. A time without an offset is UTC.',
        }),
      status: z
        .enum(webhookDeliveryStatuses)
        .optional()
        .meta({ description: 'Only send events whose delivery has this status.' }),
    }),
  ),
  output: z.object({ id: z.string().meta({ description: 'The id of the endpoint.' }) }),
  errors: [webhookEndpointNotFound, webhookEndpointIsDisabled],
  examples: { request: { since: '2026-11-20T00:00:00Z' } },
});
