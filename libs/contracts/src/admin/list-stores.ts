import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { store } from './store';
import { olderNumber, pageCount, unknownCursor } from '../shared/paging';

/** Used by back offices that copy the stores or let users choose one. */
export const listStores = defineQuery({
  name: 'admin.list-stores',
  summary: 'List stores',
  description: 'Returns the stores, newest first.',
  permission: 'view.get_store',
  forStores: 'confined',
  forConsumers: 'unrelated',
  http: { method: 'GET', path: '/stores', success: 200 },
  query: z.object({
    count: pageCount,
    older: olderNumber,
  }),
  output: z.object({
    stores: z.array(store).describe('The stores of this page, newest first.'),
    _links: listLinks,
  }),
  errors: [unknownCursor],
});
