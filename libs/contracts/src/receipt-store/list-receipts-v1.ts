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
    'Returns receipts in order of arrival, newest first. For the next page, pass the id of the last receipt as `older`. To follow new arrivals, ' +
    'pass the id of the newest receipt as `newer`. An empty array marks the end of the list. This version will be deprecated: use version 2.',
  permission: 'view.get_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/receipts', version: '1', success: 200, consumerScoped: true },
  query: z.object({
    ...receiptFilters,
    newer: cursor('The id of a receipt. Returns the receipts that arrived directly after it.'),
    older: cursor('The id of a receipt. Returns the receipts that arrived directly before it.'),
  }),
  output: z.array(returnedReceipt),
  errors: [unknownCursor],
  examples: { response: [returnedReceiptExample] },
});
