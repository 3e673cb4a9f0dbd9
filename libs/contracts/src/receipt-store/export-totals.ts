import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { choice } from '../shared/query-parameters';
import { totalsQuery } from './totals';

/** For spreadsheets. */
export const exportTotals = defineQuery(
  {
    name: 'receipt-store.export-totals',
    summary: 'Export totals of receipts as CSV',
    description:
      'Returns the rows of `GET /reports/totals` as CSV (RFC 4180): the columns of the groups, currency, receipts, items, total, net, discounts, returns_items, ' +
      'returns_total, voids_receipts, voids_total, first_localtime, last_localtime, then one column for each tax (`tax:<name>:<rate>`) and payment method ' +
      '(`payment:<method>`; `payment:<method>:<currency>` for payments in another currency than the row), and `charges` and `tips` if there are any, sorted as text.' +
      " Text that a spreadsheet would interpret as a formula, also after a `;` or a tab, is prefixed with `'`.",
    permission: 'view.get_report',
    forStores: 'confined',
    http: {
      method: 'GET',
      path: '/reports/totals.csv',
      success: 200,
      consumerScoped: true,
      produces: ['text/csv'],
    },
    query: totalsQuery,
    headers: z.object({ accept: choice(['text/csv'], 'The media type of the response.') }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), fileName: z.string() }),
  },
  {
    response: ({ fileName }) => ({
      headers: { 'content-disposition': `attachment; filename="${fileName}"` },
    }),
  },
);
