import { checkedByOwner, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { postedReceipt, postedReceiptExample } from '../receipt';
import { receiptLinks } from '../receipt/receipt-links';
import { ndjsonType } from '../shared/media-types';

/** The maximum number of receipts in a batch. */
export const batchReceiptsMax = 500;
const timeoutMs = 30_000;

const index = z
  .int()
  .min(0)
  .describe('The number of the receipt in the batch, from 0. Empty lines are not counted.');

const acceptedReceipt = z
  .object({
    index,
    status: z.literal(201).describe('Always 201: the receipt was stored.'),
    id: z.string().describe('The id of the new receipt.'),
    _links: receiptLinks
      .optional()
      .describe(
        'Links to renderings of the receipt. Present if the retailer setting `response_links` is on.',
      ),
  })
  .describe('The result of a receipt that was stored.');

const refusedReceipt = z
  .object({
    index,
    status: z.int().min(400).max(599).describe('The status that `POST /receipts` would have returned.'),
    code: z.string().optional().describe('The stable code of the error.'),
    description: z.string().describe('The error in words. The text may change.'),
    doc_url: z.string().optional().describe('The URL path of the page that explains the code.'),
    errors: z
      .array(
        z.object({
          path: z.string().describe('A JSON Pointer to the invalid member of the receipt.'),
          code: z.string().describe('The stable code of this error.'),
          message: z.string().describe('This error in words.'),
        }),
      )
      .optional()
      .describe(
        'All errors in the receipt. A response lists at most 20,000 errors; further rejected receipts have only their first.',
      ),
    id: z
      .string()
      .optional()
      .describe('The id of the existing receipt; present with the codes `link_taken` and `duplicate_…`.'),
  })
  .describe('The result of a receipt that was not stored.');

export type BatchResult = z.input<typeof acceptedReceipt> | z.input<typeof refusedReceipt>;

/** A batch in JSON; its receipts are validated one by one. */
export const receiptList = z.strictObject({ receipts: z.array(z.unknown()).min(1) });

/** Used by a till that was offline. All accepted receipts are durable before the response is sent. */
export const createReceipts = defineCommand({
  name: 'receipt-store.create-receipts',
  summary: 'Post a batch of receipts',
  description:
    `Stores up to ${batchReceiptsMax} receipts, for tills and back offices that were offline. Each receipt is processed as by \`POST /receipts\`. ` +
    'Results are independent of each other, except that a receipt with the `transaction_id` or `external_id` of an earlier, accepted receipt of the batch is treated as its duplicate. ' +
    'Receipts arrive in the order of the batch, and all accepted receipts are durable before the response is sent. ' +
    'In NDJSON, empty lines are skipped, and a line that is not JSON is rejected with `malformed_body`. ' +
    'With an `Idempotency-Key`, the whole batch is executed once: if the response is lost, repeat the batch with the same key and body to get the response of the first attempt.',
  permission: 'view.post_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'POST', path: '/receipts/_batch', success: 200 },
  body: checkedByOwner('batch', {
    [ndjsonType]: z.string().describe('The receipts, one JSON text per line.'),
    'application/json': receiptList.extend({
      receipts: z
        .array(postedReceipt)
        .min(1)
        .max(batchReceiptsMax)
        .describe('The receipts, in order of arrival.'),
    }),
  }),
  output: z.object({
    accepted: z.int().describe('The number of receipts that were stored.'),
    refused: z.int().describe('The number of receipts that were not stored.'),
    results: z
      .array(z.union([acceptedReceipt, refusedReceipt]))
      .describe('The results, one for each receipt, in the same order as the batch.'),
  }),
  examples: {
    request: JSON.stringify(postedReceiptExample),
    response: {
      accepted: 1,
      refused: 1,
      results: [
        { index: 0, status: 201, id: '6650f2c81b3c9a0012ab34cd' },
        {
          index: 1,
          status: 409,
          code: 'duplicate_transaction_id',
          description: 'a receipt with this transaction id already exists',
          id: '6650f2c81b3c9a0012ab34cd',
        },
      ],
    },
  },
  timeoutMs,
});
