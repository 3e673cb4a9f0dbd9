import { choice, defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { mappingDocument, mappingStates } from './mapping';

export const listMappings = defineQuery({
  name: 'transform.list-mappings',
  summary: 'List mappings',
  description:
    'The newest version of each mapping, by id; with `status`, the newest version that has it. `older` is the last id of the page before.',
  permission: 'view.manage_mapping',
  http: { method: 'GET', path: '/pos/mappings', success: 200 },
  query: z.object({
    status: choice(mappingStates).optional(),
    count: integer({ min: 1, max: 100 }).default(100),
    older: text({ max: 100 }).optional(),
    pretty: flag().optional(),
  }),
  output: z.object({
    mappings: z.array(mappingDocument),
    _links: z.object({ next: z.object({ href: z.string() }).optional() }),
  }),
});
