import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { pageCount, pageCursor, unknownCursor } from '../shared/paging';
import { operatorRetailer } from './retailer';

/** Lists the retailers for the operator. */
export const browseRetailers = defineQuery({
  name: 'admin.browse-retailers',
  summary: 'List retailers',
  description: 'Returns the retailers with their settings, newest first.',
  http: { method: 'GET', path: '/operator/retailers', access: 'operator', success: 200 },
  query: z.object({
    count: pageCount,
    older: pageCursor(40),
  }),
  output: z.object({
    retailers: z.array(operatorRetailer).describe('The retailers of this page, newest first.'),
    _links: listLinks,
  }),
  errors: [unknownCursor],
});
