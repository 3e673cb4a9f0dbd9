import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { notAnInvoice, processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptForms } from '../receipt/receipt-forms';
import { receiptParams } from '../receipt/receipt-links';

/** For the link of a receipt: delivery knows the link, and receipt-store prints the forms. */
export const getReceiptForm = defineQuery({
  name: 'receipt-store.get-receipt-form',
  summary: 'Get a receipt as a file',
  description: 'Internal. Returns a receipt in one of the forms in which a consumer can take it along.',
  params: receiptParams,
  body: z.object({ form: z.enum(receiptForms) }),
  output: rawOutput,
  meta: z.object({ contentType: z.string(), fileName: z.string() }),
  errors: [receiptNotFound, processingPending, receiptDeletedError, notAnInvoice],
});
