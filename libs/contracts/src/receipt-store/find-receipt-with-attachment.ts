import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/**
 * A caller may read an attachment if it may read a receipt that refers to it. Only receipt-store knows a receipt's
 * current consumer, because receipts can be assigned and unassigned.
 */
export const findReceiptWithAttachment = defineQuery({
  name: 'receipt-store.find-receipt-with-attachment',
  summary: 'Find a receipt that refers to an attachment',
  description: 'Internal. Returns any receipt that the caller may see.',
  body: z.object({ attachment_id: z.string() }),
  output: z.object({ receipt_id: z.string().nullable() }),
});
