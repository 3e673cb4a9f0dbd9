import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { unknownCursor } from '../shared/paging';
import { operatorRetailer } from './retailer';

/** Lists the retailers for the operator. */
export const browseRetailers = defineQuery({
  name: 'admin.browse-retailers',
  summary: 'List retailers',
  description:
    'The retailer that was created last comes first. `_links.next` is there while older ones follow.',
  http: { method: 'GET', path: '/operator/retailers', access: 'operator', success: 200 },
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Retailers on a page; 100 when it is not given.',
    }).optional(),
    older: text({ max: 40, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({ retailers: z.array(operatorRetailer), _links: listLinks }),
  errors: [unknownCursor],
});
