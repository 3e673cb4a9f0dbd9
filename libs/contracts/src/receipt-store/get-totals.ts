import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { reportTime, totalsExample, totalsQuery, totalsRow } from './totals';

/** Used to close the day without reading all receipts. */
export const getTotals = defineQuery({
  name: 'receipt-store.get-totals',
  summary: 'Get totals of receipts',
  description:
    'Adds up receipts by day, store, till and currency. Amounts are exact decimal sums. The response includes every receipt and every change that was acknowledged before the request. A receipt counts towards the day of its `localtime`, regardless of when it arrives. Duplicates and deleted receipts are excluded; ' +
    'voided receipts are included only in `voids`. ' +
    'Rows are sorted by their groups, as text.',
  permission: 'view.get_report',
  forStores: 'confined',
  http: { method: 'GET', path: '/reports/totals', success: 200, consumerScoped: true },
  query: totalsQuery,
  output: z.object({
    totals: z.array(totalsRow).describe('One row for each group with receipts.'),
    as_of: reportTime,
  }),
  examples: { response: { totals: [totalsExample], as_of: '2026-03-14T19:05:00.120+00:00' } },
});
