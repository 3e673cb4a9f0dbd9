import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentView } from './attachment';

/** Used to show attachments that are known only by id. */
export const describeAttachments = defineQuery({
  name: 'ingest.describe-attachments',
  summary: 'Get the names, types and sizes of attachments',
  description:
    'Returns the attachments that exist and belong to the calling retailer, in no particular order.',
  body: z.object({ ids: z.array(z.string()).max(1000) }),
  output: z.object({ attachments: z.array(attachmentView) }),
});
