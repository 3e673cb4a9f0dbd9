import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';

export const disabledReasons = ['gone', 'failing'] as const;

/** Notifies the retailer that the endpoint receives no more events until it is enabled again. */
export const webhookEndpointDisabled = defineEvent({
  type: 'webhook.endpoint_disabled',
  owner: 'delivery',
  collection: 'webhooks',
  summary: 'A webhook endpoint was disabled',
  description:
    'The receiver has returned 410 Gone (`gone`), or all attempts for five days have failed (`failing`). Events that occur until the endpoint is enabled again can be sent later with `_recover`.',
  data: z.object({
    id: z.string().describe('The id of the disabled endpoint.'),
    description: z.string().nullable().describe('Your note about the disabled endpoint.'),
    reason: z.enum(disabledReasons).describe('Why the platform has disabled the endpoint.'),
    failing_since: z.string().describe('The time since which all attempts have failed.'),
  }),
});

export const webhookEvents = { webhookEndpointDisabled };
