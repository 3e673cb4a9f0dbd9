import { concurrentWrite, defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptParams } from '../receipt/receipt-links';
import { keyText } from '../shared/key-text';

const body = z.strictObject({
  reason: keyText.optional().describe('Why the receipt is voided.'),
  transaction_id: keyText.optional().describe('Your own number for the void.'),
});

/** Cancels a sale but keeps its receipt, unlike a deletion. */
export const voidReceipt = defineCommand(
  {
    name: 'receipt-store.void-receipt',
    summary: 'Void a receipt',
    description:
      'Marks a receipt as voided. The receipt remains in lists and searches, and its page shows that it was voided. It no longer counts in summaries, totals and loyalty programmes, and it cannot be sent. Rewards that were already issued remain valid. Voiding a voided receipt succeeds without effect.',
    permission: 'view.void_receipt',
    forStores: 'confined',
    forConsumers: 'confined',
    http: { method: 'POST', path: '/receipts/{id}/_void', success: 200 },
    params: receiptParams,
    body: { ...json(body), optional: true },
    output: returnedReceipt,
    meta: z.object({ version: z.int() }),
    errors: [receiptNotFound, receiptDeletedError, processingPending, concurrentWrite],
    examples: {
      request: { reason: 'wrong customer', transaction_id: '2024-05-17-0043' },
      response: {
        ...returnedReceiptExample,
        voided: {
          timestamp: '2024-05-17T12:10:04+00:00',
          reason: 'wrong customer',
          transaction_id: '2024-05-17-0043',
        },
      },
    },
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
