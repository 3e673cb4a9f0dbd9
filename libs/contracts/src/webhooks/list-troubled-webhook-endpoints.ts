import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { disabledReasons } from './events';

/**
 * Shows failing endpoints to the operator, because retailers may not notice for days, while undelivered events fill the
 * database.
 */
export const listTroubledWebhookEndpoints = defineQuery({
  name: 'delivery.list-troubled-webhook-endpoints',
  summary: 'List failing webhook endpoints',
  description:
    'Returns the endpoints of all retailers that are failing, and those that the platform has disabled, at most 100 of each. ' +
    'Only the origin of their URLs is shown, because the rest may contain a secret.',
  http: { method: 'GET', path: '/operator/webhooks/troubled', access: 'operator', success: 200 },
  output: z.object({
    endpoints: z
      .array(
        z.object({
          retailer: z.string().meta({ description: 'The id of the retailer that owns the endpoint.' }),
          id: z.string().meta({ description: 'The id of the endpoint.' }),
          origin: z.string().meta({
            description: 'Scheme, host and port of the URL of the endpoint.',
            examples: ['https://shop.example'],
          }),
          failing_since: timestampField.nullable().meta({
            description: 'The time since which every attempt has failed; `null` while attempts succeed.',
          }),
          disabled_reason: z
            .enum(disabledReasons)
            .nullable()
            .meta({ description: 'Why the platform has disabled the endpoint; `null` if it has not.' }),
          disabled_timestamp: timestampField
            .nullable()
            .meta({ description: 'When the platform disabled the endpoint; `null` if it has not.' }),
          pending: z.int().meta({ description: 'The number of pending deliveries, counted up to 1,000.' }),
          last_failure: z
            .string()
            .nullable()
            .meta({ description: 'Why the most recent attempt failed; `null` if there was none.' }),
        }),
      )
      .meta({
        description:
          'Failing endpoints, longest failing first, followed by disabled endpoints, most recently disabled first.',
      }),
  }),
});
