import { z } from 'zod';
import { timestampField } from '../shared/fields';

export const webhookDeliveryStatuses = ['pending', 'succeeded', 'failed'] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

/** An attempt to post an event, with the headers of request and response. */
const webhookAttempt = z.object({
  timestamp: timestampField,
  duration_ms: z.int(),
  outcome: z.string().meta({
    description:
      '`succeeded`, `status` (not a 2xx), `redirected`, `timeout`, `unreachable`, `address_refused`, `invalid_response`, `response_too_large`.',
  }),
  error: z.string().nullable().meta({ description: 'What the network said: `ECONNREFUSED`, for example.' }),
  request: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
  response: z
    .object({
      status: z.int(),
      headers: z.record(z.string(), z.string()),
      body: z.string().meta({ description: 'Its first characters.' }),
    })
    .nullable(),
});

/** The delivery of an event to an endpoint. */
export const webhookDelivery = z.object({
  id: z.string(),
  endpoint_id: z.string(),
  event_id: z.string().meta({ description: 'Also the `webhook-id`.' }),
  type: z.string(),
  status: z.enum(webhookDeliveryStatuses),
  reason: z.string().nullable().meta({
    description:
      'Why it has failed for good, or why it is still pending: `status`, for example, after a failed attempt, or `earlier_event_pending` where the endpoint wants the events of a subject one after the other.',
  }),
  attempts: z.int(),
  next_attempt_timestamp: timestampField.nullable(),
  created_timestamp: timestampField,
  updated_timestamp: timestampField,
  log: z.array(webhookAttempt).meta({ description: 'The last attempts, the newest first.' }),
});
export type WebhookDelivery = z.output<typeof webhookDelivery>;

export const webhookDeliveryNotFound = {
  status: 404,
  code: 'not_found',
  description: 'there is no such webhook delivery',
};
export const webhookDeliveryInProgress = {
  status: 409,
  code: 'delivery_in_progress',
  description: 'an attempt of this webhook delivery is being made',
};
export const webhookEndpointIsDisabled = {
  status: 409,
  code: 'endpoint_disabled',
  description: 'the webhook endpoint is disabled',
};
export const webhookEventExpired = {
  status: 410,
  code: 'event_expired',
  description: 'the event is not kept any more',
};
