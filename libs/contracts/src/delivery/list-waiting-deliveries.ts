import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { channels } from '../shared/channels';
import { timestampField } from '../shared/fields';

/**
 * Shows the operator when deliveries are stuck, for example because a mail server is down. Otherwise only consumers
 * without a receipt would notice.
 */
export const listWaitingDeliveries = defineQuery({
  name: 'delivery.list-waiting-deliveries',
  summary: 'Deliveries that wait',
  description:
    'E-mails and messages of all retailers that are not handed over yet, grouped by retailer, channel and what went wrong the last time; the largest group first. ' +
    'The 10,000 that are due first are looked at; `is_complete` tells whether these are all. No address is told.',
  http: { method: 'GET', path: '/operator/deliveries/waiting', access: 'operator', success: 200 },
  query: z.object({ pretty: flag('Readable formatting').optional() }),
  output: z.object({
    groups: z.array(
      z.object({
        retailer: z.string(),
        channel: z.enum(channels),
        reason: z.string().nullable().meta({ description: 'Null where it was not tried yet.' }),
        deliveries: z.int(),
        attempts: z.int().meta({ description: 'The most that one of them has had.' }),
        oldest_timestamp: timestampField.meta({ description: 'When the oldest of them was asked for.' }),
        next_attempt_timestamp: timestampField,
        oldest_receipt: z.string(),
      }),
    ),
    is_complete: z.boolean(),
  }),
});
