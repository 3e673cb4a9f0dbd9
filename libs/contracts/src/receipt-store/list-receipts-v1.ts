import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { unknownCursor } from '../shared/paging';
import { cursor, receiptFilters } from './receipt-filters';

/** The older version of the list: an array, paged by receipt ids. */
export const listReceiptsV1 = defineQuery({
  name: 'receipt-store.list-receipts-v1',
  summary: 'List receipts',
  description:
    'Most recent first, in the order of arrival. To page on, pass the id of the oldest receipt as `older`; to follow new arrivals, ' +
    'pass the id of the newest one as `newer`. An empty array ends paging. To be deprecated in favour of version 2.',
  permission: 'view.get_receipt',
  http: { method: 'GET', path: '/receipts', version: '1', success: 200, consumerScoped: true },
  query: z.object({
    ...receiptFilters,
    newer: cursor('The id of a receipt: return the receipts next to it that are newer.'),
    older: cursor('The id of a receipt: return the receipts next to it that are older.'),
  }),
  output: z.array(returnedReceipt),
  errors: [unknownCursor],
  examples: { response: [returnedReceiptExample] },
});
