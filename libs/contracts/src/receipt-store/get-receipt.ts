import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { receiptFileHeaders } from '../ingest/attachment';
import { consumerParameter } from '../shared/fields';
import { choice, flag } from '../shared/query-parameters';
import { failedCheck } from '../shared/checks';
import { receiptParams } from '../receipt/receipt-links';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { notAnInvoice, processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptFormats, receiptFormatsText, receiptFormatTypes } from '../receipt/receipt-formats';

export const getReceipt = defineQuery(
  {
    name: 'receipt-store.get-receipt',
    summary: 'Get a receipt',
    description:
      'Returns a receipt. While it is still being converted from raw data, the response is 409; if it was deleted, 410. With `consumer`, a receipt of another consumer causes 404.',
    permission: 'view.get_receipt',
    forStores: 'confined',
    forConsumers: 'confined',
    http: {
      method: 'GET',
      path: '/receipts/{id}',
      success: 200,
      consumerScoped: true,
      formats: receiptFormatTypes,
    },
    params: receiptParams,
    query: z.object({
      consumer: consumerParameter,
      checks: flag('Whether to add `checks`, the list of inconsistencies in the receipt.').optional(),
      format: choice(
        receiptFormats,
        `The format in which the consumer takes the receipt along, as a file. ${receiptFormatsText}`,
      ).optional(),
    }),
    output: returnedReceipt.extend({
      checks: z
        .array(failedCheck)
        .optional()
        .describe('The checks that the receipt fails. Absent unless `checks=true`.'),
    }),
    meta: z.object({
      version: z.int(),
      contentType: z.string().optional(),
      fileName: z.string().optional(),
    }),
    errors: [receiptNotFound, processingPending, receiptDeletedError, notAnInvoice],
    examples: { response: returnedReceiptExample },
  },
  {
    response: ({ version, fileName }) => ({
      headers: { etag: `"${version}"`, ...(fileName !== undefined && receiptFileHeaders(fileName)) },
    }),
  },
);
