import { defineQuery, flag, vector } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';

export const getReceipt = defineQuery(
  {
    name: 'receipt-store.get-receipt',
    summary: 'Get a receipt',
    description:
      'A receipt that is still being converted from raw data is 409, one that was deleted 410. With `consumer` a receipt of somebody else is 404.',
    permission: 'view.get_receipt',
    http: { method: 'GET', path: '/receipts/{id}', success: 200, consumerScoped: true },
    params: z.object({ id: z.string() }),
    query: z.object({
      consumer: vector({ max: 5, description: 'Identifiers of the consumer.' }).optional(),
      pretty: flag().optional(),
    }),
    output: returnedReceipt,
    meta: z.object({ version: z.int() }),
    errors: [receiptNotFound, processingPending, receiptDeletedError],
    examples: { response: returnedReceiptExample },
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
