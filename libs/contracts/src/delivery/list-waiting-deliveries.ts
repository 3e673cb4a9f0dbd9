import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { deliveryChannel } from './events/delivery-fields';
import { timestampField } from '../shared/fields';

/**
 * Shows the operator when deliveries are stuck, for example because a mail server is down. Otherwise only consumers
 * without a receipt would notice.
 */
export const listWaitingDeliveries = defineQuery({
  name: 'delivery.list-waiting-deliveries',
  summary: 'List pending deliveries',
  description:
    'Groups the pending deliveries of all retailers by retailer, channel and last error, largest group first. Only the 10,000 deliveries that are due first are ' +
    'counted. Addresses are not shown.',
  http: { method: 'GET', path: '/operator/deliveries/waiting', access: 'operator', success: 200 },
  output: z.object({
    groups: z
      .array(
        z.object({
          retailer: z.string().describe('The id of the retailer that owns the deliveries.'),
          channel: deliveryChannel,
          reason: z
            .string()
            .nullable()
            .describe('Why the last attempt failed; `null` if there has been no attempt yet.'),
          deliveries: z.int().describe('The number of pending deliveries in the group.'),
          attempts: z.int().describe('The highest number of attempts among these deliveries.'),
          oldest_timestamp: timestampField.describe('When the oldest of these deliveries was requested.'),
          next_attempt_timestamp: timestampField.describe(
            'When the next attempt of one of these deliveries is due.',
          ),
          oldest_receipt: z.string().describe('The id of the receipt of the oldest delivery.'),
        }),
      )
      .describe('The groups, largest first.'),
    is_complete: z.boolean().describe('Whether all pending deliveries were counted.'),
  }),
});
