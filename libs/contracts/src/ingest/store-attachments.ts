import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { postedAttachments } from '../receipt/posted-attachments';
import { attachmentView, unknownAttachment } from './attachment';

/**
 * Called before a receipt with attachments is stored. Stores the inline attachments, and returns what the receipt shows
 * of each.
 */
export const storeAttachments = defineCommand({
  name: 'ingest.store-attachments',
  summary: 'Store the attachments of a receipt',
  description:
    'All or nothing: a missing id is 422. The same receipt id, label and data always give the same ' +
    'attachments, so the call may be repeated.',
  body: z.object({ receipt_id: z.string(), attachments: postedAttachments }),
  output: z.object({ attachments: z.record(z.string(), attachmentView) }),
  errors: [unknownAttachment],
});
