import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';

export const disabledReasons = ['gone', 'failing', 'invalid_filter'] as const;

const id = z.string().describe('The id of the disabled endpoint.');
const description = z.string().nullable().describe('Your note about the disabled endpoint.');

/** Notifies the retailer that the endpoint receives no more events until it is enabled again. */
export const webhookEndpointDisabled = defineEvent({
  type: 'webhook.endpoint_disabled',
  owner: 'delivery',
  collection: 'webhooks',
  summary: 'A webhook endpoint was disabled',
  description:
    'The receiver has returned 410 Gone (`gone`), all attempts for five days have failed (`failing`), or a change of the settings has made the filter invalid (`invalid_filter`). Events that occur until the endpoint is enabled again can be sent later with `_recover`.',
  data: z.object({
    id,
    description,
    reason: z.enum(disabledReasons).describe('Why the platform has disabled the endpoint.'),
    failing_since: z
      .string()
      .nullable()
      .describe('The time since which all attempts have failed; `null` if they have not.'),
  }),
});

/** For the retailer, who can correct the filter: the other reasons concern the receiver. */
export const webhookDisabled = defineEvent({
  type: 'webhook.disabled',
  owner: 'delivery',
  collection: 'webhooks',
  summary: "A webhook endpoint was disabled because of the retailer's settings",
  description:
    'A change of the settings made the filter of the endpoint invalid, for example because it uses a removed dynamic field. `webhook.endpoint_disabled` reports the same change with the same `sequence`. Correct the filter and enable the endpoint again; events that occurred meanwhile can be sent with `_recover`.',
  data: z.object({
    id,
    description,
    disabled_reason: z.literal('invalid_filter').describe('The filter no longer fits the settings.'),
    filter: z.string().describe('The filter that is no longer valid.'),
  }),
});

export const webhookEvents = { webhookEndpointDisabled, webhookDisabled };
