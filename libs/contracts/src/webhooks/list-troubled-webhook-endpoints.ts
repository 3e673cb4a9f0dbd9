import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { disabledReasons } from './events';

/**
 * Shows the operator failing endpoints, whose undelivered events fill the database, because retailers may not notice
 * for days.
 */
export const listTroubledWebhookEndpoints = defineQuery({
  name: 'delivery.list-troubled-webhook-endpoints',
  summary: 'Webhook endpoints in trouble',
  description:
    'The endpoints of all retailers of which every attempt has failed for a while, that longest first, and those that the platform has disabled, the latest first. At most 100 of each. ' +
    'Of their addresses only the origin is told: what follows it may be a secret.',
  http: { method: 'GET', path: '/operator/webhooks/troubled', access: 'operator', success: 200 },
  query: z.object({ pretty: flag('Readable formatting').optional() }),
  output: z.object({
    endpoints: z.array(
      z.object({
        retailer: z.string(),
        id: z.string(),
        origin: z.string().meta({ examples: ['https://shop.example'] }),
        failing_since: timestampField.nullable(),
        disabled_reason: z.enum(disabledReasons).nullable(),
        disabled_timestamp: timestampField.nullable(),
        pending: z.int().meta({ description: 'Deliveries that wait, counted up to 1,000.' }),
        last_failure: z
          .string()
          .nullable()
          .meta({ description: 'Why the newest delivery that failed, or is tried again, did so.' }),
      }),
    ),
  }),
});
