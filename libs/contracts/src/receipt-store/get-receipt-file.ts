import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { notAnInvoice, processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptFormats } from '../receipt/receipt-formats';
import { receiptParams } from '../receipt/receipt-links';

/** For the link of a receipt: delivery knows the link, and receipt-store prints the files. */
export const getReceiptFile = defineQuery({
  name: 'receipt-store.get-receipt-file',
  summary: 'Get a receipt as a file',
  description: 'Internal. Returns a receipt in one of the formats in which a consumer can take it along.',
  params: receiptParams,
  body: z.object({ format: z.enum(receiptFormats) }),
  output: rawOutput,
  meta: z.object({ contentType: z.string(), fileName: z.string() }),
  errors: [receiptNotFound, processingPending, receiptDeletedError, notAnInvoice],
});
