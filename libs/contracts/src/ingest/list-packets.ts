import { choice, defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { unknownCursor } from '../shared/paging';
import { failureReasons, packetStates, packetView } from './packet';

export const listPackets = defineQuery({
  name: 'ingest.list-packets',
  summary: 'List raw receipts',
  description: 'Newest first. `older` is the id of the last packet of the page before.',
  permission: 'view.get_packet',
  http: { method: 'GET', path: '/pos/packets', success: 200 },
  query: z.object({
    status: choice(packetStates).optional(),
    reason: choice(failureReasons).optional(),
    count: integer({ min: 1, max: 100 }).default(20),
    older: text({ max: 64, description: 'The id of a packet.' }).optional(),
    pretty: flag().optional(),
  }),
  output: z.object({
    packets: z.array(packetView),
    _links: z.object({ next: z.object({ href: z.string() }).optional() }),
  }),
  errors: [unknownCursor],
});
