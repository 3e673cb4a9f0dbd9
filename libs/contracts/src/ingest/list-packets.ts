import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { choice, integer } from '../shared/query-parameters';
import { listLinks } from '../shared/fields';
import { pageCursor, unknownCursor } from '../shared/paging';
import { failureReasons, packetStates, packetView } from './packet';

export const listPackets = defineQuery({
  name: 'ingest.list-packets',
  summary: 'List raw receipts',
  description: 'Returns the raw receipts, newest first.',
  permission: 'view.get_packet',
  http: { method: 'GET', path: '/pos/packets', success: 200, consumerScoped: true },
  query: z.object({
    status: choice(packetStates, 'Only return packets with this status.').optional(),
    reason: choice(failureReasons, 'Only return packets that failed for this reason.').optional(),
    count: integer({ min: 1, max: 100, description: 'The maximum number of packets per page.' }).default(20),
    older: pageCursor(64),
  }),
  output: z.object({
    packets: z.array(packetView).describe('The packets of this page, newest first.'),
    _links: listLinks,
  }),
  errors: [unknownCursor],
});
