import { z } from 'zod';
import { timestampField } from '../shared/fields';

export const webhookDeliveryStatuses = ['pending', 'succeeded', 'failed'] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

/** An attempt to post an event, with the request and response headers. */
const webhookAttempt = z.object({
  timestamp: timestampField.meta({ description: 'When the attempt began.' }),
  duration_ms: z.int().meta({ description: 'The duration of the attempt in milliseconds.' }),
  outcome: z.string().meta({
    description:
      'The result of the attempt: `succeeded`, `status` (not a 2xx), `redirected`, `timeout`, `unreachable`, `address_refused` or `invalid_response`.',
  }),
  error: z.string().nullable().meta({
    description: 'The code of the network error, such as `ECONNREFUSED`; `null` if the receiver responded.',
  }),
  request: z
    .object({
      url: z.string().meta({ description: 'The URL to which the event was posted.' }),
      headers: z
        .record(z.string(), z.string())
        .meta({ description: 'The headers that were sent, keyed by lower-case name.' }),
    })
    .meta({ description: 'The request without its body.' }),
  response: z
    .object({
      status: z.int().meta({ description: 'The HTTP status code that the receiver returned.' }),
      headers: z
        .record(z.string(), z.string())
        .meta({ description: 'The headers that the receiver returned, keyed by lower-case name.' }),
      body: z
        .string()
        .meta({ description: 'The first 4 KiB of the response body. The result does not depend on it.' }),
    })
    .nullable()
    .meta({ description: 'The response of the receiver; `null` if there was none.' }),
});

/** The delivery of an event to an endpoint. */
export const webhookDelivery = z.object({
  id: z.string().meta({ description: 'The id of the delivery.' }),
  endpoint_id: z.string().meta({ description: 'The id of the endpoint that receives the event.' }),
  event_id: z.string().meta({ description: 'The id of the event, sent in the header `webhook-id`.' }),
  type: z.string().meta({ description: 'The type of the event, such as `receipt.created`.' }),
  status: z.enum(webhookDeliveryStatuses).meta({
    description:
      '`pending` until the receiver has accepted the event (`succeeded`) or the last attempt has failed (`failed`).',
  }),
  reason: z.string().nullable().meta({
    description:
      'Why the delivery has failed or is still pending, such as `status` after a failed attempt. `earlier_event_pending` if an earlier event of the subject must be delivered first. `null` if it succeeded.',
  }),
  attempts: z.int().meta({ description: 'The number of attempts so far.' }),
  next_attempt_timestamp: timestampField
    .nullable()
    .meta({ description: 'When the next attempt is due; `null` if there is none.' }),
  created_timestamp: timestampField.meta({ description: 'When the delivery was created.' }),
  updated_timestamp: timestampField.meta({ description: 'When the delivery last changed.' }),
  log: z.array(webhookAttempt).meta({ description: 'The most recent attempts, newest first.' }),
});
export type WebhookDelivery = z.output<typeof webhookDelivery>;

export const webhookDeliveryNotFound = {
  status: 404,
  code: 'not_found',
  description: 'webhook delivery not found',
};
export const webhookDeliveryInProgress = {
  status: 409,
  code: 'delivery_in_progress',
  description: 'this webhook delivery is being attempted',
};
export const webhookEndpointIsDisabled = {
  status: 409,
  code: 'endpoint_disabled',
  description: 'the webhook endpoint is disabled',
};
export const webhookEventExpired = {
  status: 410,
  code: 'event_expired',
  description: 'the event is no longer stored',
};
