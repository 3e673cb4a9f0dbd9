import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/**
 * A caller may read an attachment if it may read a receipt that shows it. Only receipt-store knows a receipt's current
 * consumer, because receipts can be assigned and unassigned.
 */
export const findReceiptWithAttachment = defineQuery({
  name: 'receipt-store.find-receipt-with-attachment',
  summary: 'A receipt that shows an attachment',
  description:
    'Internal. Any one that the caller may see; for a caller restricted to consumers, one of theirs.',
  body: z.object({ attachment_id: z.string() }),
  output: z.object({ receipt_id: z.string().nullable() }),
});
