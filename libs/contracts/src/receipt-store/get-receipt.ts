import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { consumerParameter } from '../shared/fields';
import { receiptParams } from '../receipt/receipt-links';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';

export const getReceipt = defineQuery(
  {
    name: 'receipt-store.get-receipt',
    summary: 'Get a receipt',
    description:
      'Returns a receipt. While it is still being converted from raw data, the answer is 409; if it was deleted, 410. With `consumer`, a receipt of another consumer is 404.',
    permission: 'view.get_receipt',
    http: { method: 'GET', path: '/receipts/{id}', success: 200, consumerScoped: true },
    params: receiptParams,
    query: z.object({ consumer: consumerParameter }),
    output: returnedReceipt,
    meta: z.object({ version: z.int() }),
    errors: [receiptNotFound, processingPending, receiptDeletedError],
    examples: { response: returnedReceiptExample },
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
