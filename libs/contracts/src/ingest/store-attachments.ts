import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { postedAttachments } from '../receipt/posted-attachments';
import { attachmentView, unknownAttachment } from './attachment';

/**
 * Called before a receipt with attachments is stored. Stores the inline attachments, and returns the data of each for
 * the receipt.
 */
export const storeAttachments = defineCommand({
  name: 'ingest.store-attachments',
  summary: 'Store the attachments of a receipt',
  description:
    'Stores either all attachments or none: a missing id causes 422. The same receipt id, label and data always produce the same attachments, so the call may be repeated.',
  body: z.object({ receipt_id: z.string(), attachments: postedAttachments }),
  output: z.object({ attachments: z.record(z.string(), attachmentView) }),
  errors: [unknownAttachment],
});
