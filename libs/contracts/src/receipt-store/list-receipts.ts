import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { link } from '../shared/fields';
import { unknownCursor } from '../shared/paging';
import { cursor, receiptFilters } from './receipt-filters';

/** The version with links: clients page by following them. */
export const listReceipts = defineQuery({
  name: 'receipt-store.list-receipts',
  summary: 'List receipts',
  description:
    'Returns receipts in order of arrival, newest first. `next` links to older receipts and `prev` back to newer receipts. ' +
    '`newer` links to receipts that have arrived since. Follow it as long as the responses have a `prev` link, then try it again later. Links retain the filters. ' +
    'After a restore from a backup, links to lost receipts cause 400 `unknown_cursor`: start again with the first page.',
  permission: 'view.get_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/receipts', version: '2', success: 200, consumerScoped: true },
  query: z.object({
    ...receiptFilters,
    newer: cursor('The cursor of a `newer` link.'),
    next: cursor('The cursor of a `next` link.'),
    prev: cursor('The cursor of a `prev` link.'),
  }),
  output: z.object({
    _links: z
      .object({
        latest: link.describe('The first page.'),
        newer: link
          .optional()
          .describe('The receipts that have arrived since. Present on the first page and after `newer`.'),
        next: link.optional().describe('The page with older receipts. Absent on the last page.'),
        prev: link.optional().describe('The page with newer receipts. Absent on the first page.'),
      })
      .describe('Links to other pages of the list.'),
    receipts: z.array(returnedReceipt).describe('The receipts of this page, newest first.'),
  }),
  errors: [unknownCursor],
  examples: {
    response: {
      _links: {
        latest: { href: '/receipts?count=1' },
        newer: { href: '/receipts?count=1&newer=s1kq3fm0a8d1c' },
        next: { href: '/receipts?count=1&next=s1kq3fm0a8d1c' },
      },
      receipts: [returnedReceiptExample],
    },
  },
});
