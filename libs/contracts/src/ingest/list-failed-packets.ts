import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { choice, integer, text } from '../shared/query-parameters';
import { timestampField } from '../shared/fields';
import { packetView } from './packet';
import { failureReason, failureReasons } from './packet-fields';

const packetRetailer = z.string().describe('The id of the retailer that owns the packets.');

/**
 * Shows the operator which tills send data that cannot be converted. Otherwise, the retailer might not notice for
 * weeks.
 */
export const listFailedPackets = defineQuery({
  name: 'ingest.list-failed-packets',
  summary: 'List failed raw receipts',
  description:
    'Groups the failed raw receipts of all retailers by retailer, reason and mapping, largest group first, and returns the newest packets in full. ' +
    'Only the newest 10,000 are counted.',
  http: { method: 'GET', path: '/operator/packets/failed', access: 'operator', success: 200 },
  query: z.object({
    retailer: text({
      max: 40,
      description: 'Only return packets of this retailer.',
      example: 'demo',
    }).optional(),
    reason: choice(failureReasons, 'Only return packets that failed for this reason.').optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'The maximum number of packets that are returned in full. Defaults to 20.',
      example: 20,
    }).optional(),
  }),
  output: z.object({
    groups: z
      .array(
        z.object({
          retailer: packetRetailer,
          reason: failureReason,
          mapping: z
            .string()
            .nullable()
            .describe('The id of the mapping that failed; `null` if none was chosen.'),
          packets: z.int().describe('The number of failed packets in the group.'),
          oldest_timestamp: timestampField.describe('When the oldest packet of the group arrived.'),
          newest_timestamp: timestampField.describe('When the newest packet of the group arrived.'),
          newest_packet: z
            .string()
            .describe('The id of the newest packet of the group. Use it to try a mapping.'),
        }),
      )
      .describe('The groups, largest first.'),
    is_complete: z.boolean().describe('Whether all failed packets were counted.'),
    packets: z
      .array(packetView.extend({ retailer: packetRetailer }))
      .describe('The newest failed packets in full.'),
  }),
});
