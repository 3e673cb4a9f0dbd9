import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';

export const disabledReasons = ['gone', 'failing'] as const;

/** Notifies the retailer that the endpoint receives no more events until somebody enables it again. */
export const webhookEndpointDisabled = defineEvent({
  type: 'webhook.endpoint_disabled',
  owner: 'delivery',
  collection: 'webhooks',
  summary: 'A webhook endpoint was disabled',
  description:
    'It answered 410 Gone (`gone`), or every attempt of five days has failed (`failing`). What happens until it is enabled again can be fetched with `_recover`.',
  data: z.object({
    id: z.string(),
    description: z.string().nullable(),
    reason: z.enum(disabledReasons),
    failing_since: z.string().nullable(),
  }),
});

export const webhookEvents = { webhookEndpointDisabled };
