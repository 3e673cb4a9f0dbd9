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
      'The arrival position after which to start: `next` of the previous response. By default, starts with the first receipt.',
    ),
  count: z
    .int()
    .min(1)
    .max(reindexedMax)
    .optional()
    .describe('The maximum number of receipts to examine. Defaults to 500.'),
});

/**
 * A receipt's search document is computed when the receipt is written. This command recomputes it after settings have
 * changed.
 */
export const reindexReceipts = defineCommand({
  name: 'receipt-store.reindex-receipts',
  summary: 'Rebuild the search index of receipts',
  description:
    'Rebuilds the search index of a range of receipts, with the current stores and settings. Needed after a change of ' +
    '`dynamic_fields`, and after an upgrade that makes more fields searchable. Receipts can be read, searched and changed meanwhile. Repeat the request with `after` set to `next` until `next` is `null`. You can stop and continue at any time.',
  http: {
    method: 'POST',
    path: '/operator/retailers/{id}/receipts/_reindex',
    access: 'operator',
    success: 200,
  },
  params: retailerParams,
  body: json(order),
  output: z.strictObject({
    examined: z.int().describe('The number of examined receipts.'),
    changed: z.int().describe('The number of receipts whose index has changed.'),
    next: z
      .int()
      .nullable()
      .describe('The value of `after` for the next request; `null` if there are no more receipts.'),
  }),
  errors: [retailerNotFound],
  timeoutMs: 30_000,
  examples: { request: { after: 500 }, response: { examined: 500, changed: 12, next: 1000 } },
});
