import { defineQuery, flag, integer } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { store } from './store';
import { unknownCursor } from '../shared/paging';

/** Used by back offices that copy the stores or let users choose one. */
export const listStores = defineQuery({
  name: 'admin.list-stores',
  summary: 'List stores',
  description: 'The store that was created last comes first. `_links.next` is there while older ones follow.',
  permission: 'view.get_store',
  http: { method: 'GET', path: '/stores', success: 200 },
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Stores on a page; 100 when it is not given.',
    }).optional(),
    older: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({ stores: z.array(store), _links: listLinks }),
  errors: [unknownCursor],
});
