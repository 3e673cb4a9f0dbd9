import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { retailerNotFound, retailerParams } from '../admin/retailer';

const reindexedMax = 1_000;

const order = z.strictObject({
  after: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The place in the order of arrival after which to begin: `next` of the answer before. From the first if absent.',
    ),
  count: z.int().min(1).max(reindexedMax).optional().describe('How many receipts at most; 500 if absent.'),
});

/**
 * A receipt's search document is computed when the receipt is written. This command recomputes it after settings have
 * changed.
 */
export const reindexReceipts = defineCommand({
  name: 'receipt-store.reindex-receipts',
  summary: 'Make receipts findable anew',
  description:
    'Makes what some of a retailer’s receipts are found by anew, from the receipts, the stores and the settings of today: after a change of ' +
    '`dynamic_fields`, or after an upgrade that made more fields searchable. Receipts can be read, found and changed meanwhile. Call it with ' +
    '`next` until that is null; it may be stopped and gone on with at any time.',
  http: {
    method: 'POST',
    path: '/operator/retailers/{id}/receipts/_reindex',
    access: 'operator',
    success: 200,
  },
  params: retailerParams,
  body: json(order),
  output: z.strictObject({
    examined: z.int().describe('How many receipts were looked at.'),
    changed: z.int().describe('How many of them are found by something else now.'),
    next: z.int().nullable().describe('Where to go on; null when there are no more.'),
  }),
  errors: [retailerNotFound],
  timeoutMs: 30_000,
  examples: { request: { after: 500 }, response: { examined: 500, changed: 12, next: 1000 } },
});
