import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { unknownCursor } from '../shared/paging';
import { cursor, receiptFilters } from './receipt-filters';

const link = z.object({ href: z.string() });

/** The version with links: clients page by following them. */
export const listReceipts = defineQuery({
  name: 'receipt-store.list-receipts',
  summary: 'List receipts',
  description:
    'Most recent first, in the order of arrival. `latest` is always there. `next` leads to older receipts, `prev` in the other direction, ' +
    '`newer` to what has arrived since: follow it for as long as its answers have a `prev` link, then come back later. Links keep the filters. ' +
    'After a restore from a backup a link to receipts that were lost is 400 `unknown_cursor`: begin again with the first page.',
  permission: 'view.get_receipt',
  http: { method: 'GET', path: '/receipts', version: '2', success: 200, consumerScoped: true },
  query: z.object({
    ...receiptFilters,
    newer: cursor('The value of a `newer` link.'),
    next: cursor('The value of a `next` link.'),
    prev: cursor('The value of a `prev` link.'),
  }),
  output: z.object({
    _links: z.object({
      latest: link,
      newer: link.optional(),
      next: link.optional(),
      prev: link.optional(),
    }),
    receipts: z.array(returnedReceipt),
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
