import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { choice, integer } from '../shared/query-parameters';
import { listLinks } from '../shared/fields';
import { pageCursor } from '../shared/paging';
import { mappingDocument, mappingStates } from './mapping';

export const listMappings = defineQuery({
  name: 'transform.list-mappings',
  summary: 'List mappings',
  description:
    'Returns the newest version of each mapping, sorted by id. With `status`, it returns the newest version with this status.',
  permission: 'view.manage_mapping',
  http: { method: 'GET', path: '/pos/mappings', success: 200 },
  query: z.object({
    status: choice(mappingStates, 'Only return versions with this status.').optional(),
    count: integer({ min: 1, max: 100, description: 'The maximum number of mappings per page.' }).default(
      100,
    ),
    older: pageCursor(100),
  }),
  output: z.object({
    mappings: z.array(mappingDocument).describe('The mappings on this page, sorted by id.'),
    _links: listLinks,
  }),
});
