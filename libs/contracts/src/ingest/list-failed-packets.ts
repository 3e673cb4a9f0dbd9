import { choice, defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { failureReasons, packetView } from './packet';

/** Shows the operator tills whose data cannot be converted, because the retailer may not notice for weeks. */
export const listFailedPackets = defineQuery({
  name: 'ingest.list-failed-packets',
  summary: 'Failed raw receipts',
  description:
    'What could not be converted and still waits for a better mapping, of all retailers: grouped by retailer, reason and mapping, the largest group first, and the newest ones in full. ' +
    'The newest 10,000 are looked at; `is_complete` tells whether these are all.',
  http: { method: 'GET', path: '/operator/packets/failed', access: 'operator', success: 200 },
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    retailer: text({ max: 40, description: 'Only of this retailer.' }).optional(),
    reason: choice(failureReasons, 'Only what failed for this reason.').optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'How many are shown in full; 20 when it is not given.',
    }).optional(),
  }),
  output: z.object({
    groups: z.array(
      z.object({
        retailer: z.string(),
        reason: z.enum(failureReasons),
        mapping: z
          .string()
          .nullable()
          .meta({ description: 'The mapping that failed; null where none was chosen.' }),
        packets: z.int(),
        oldest_timestamp: timestampField.meta({ description: 'When the oldest of them arrived.' }),
        newest_timestamp: timestampField,
        newest_packet: z
          .string()
          .meta({ description: 'The id of the newest: a good one to try a mapping with.' }),
      }),
    ),
    is_complete: z.boolean(),
    packets: z.array(packetView.extend({ retailer: z.string() })),
  }),
});
