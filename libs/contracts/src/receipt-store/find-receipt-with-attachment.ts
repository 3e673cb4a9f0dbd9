import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/**
 * Attachments are read by whoever may read a receipt that shows them, and whose a receipt is only its owner knows at any
 * moment: it can be assigned, and taken away again.
 */
export const findReceiptWithAttachment = defineQuery({
  name: 'receipt-store.find-receipt-with-attachment',
  summary: 'A receipt that shows an attachment',
  description:
    'Internal. Any one that the caller may see; for a caller that is confined to consumers, one of theirs.',
  body: z.object({ attachment_id: z.string() }),
  output: z.object({ receipt_id: z.string().nullable() }),
});
