import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';

export const rebuildTotals = defineCommand({
  name: 'receipt-store.rebuild-totals',
  summary: 'Rebuild totals from the receipts',
  description:
    'Adds up the receipts of all retailers again, in the background. Until that is done, `GET ' +
    '/reports/totals` returns the existing totals, which stay up to date. ' +
    'A crash interrupts the rebuild but does no harm. Repeating the request restarts the rebuild.',
  http: {
    method: 'POST',
    path: '/operator/services/receipt-store/_rebuild_totals',
    access: 'operator',
    success: 202,
  },
  body: { ...json(z.strictObject({})), optional: true },
  examples: { request: {} },
});
