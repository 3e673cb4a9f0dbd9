import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentView } from './attachment';

/** For whoever shows attachments of which only the ids are known. */
export const describeAttachments = defineQuery({
  name: 'ingest.describe-attachments',
  summary: 'Name, type and size of attachments',
  description:
    'Answers those of the ids that exist and belong to the calling retailer, in no particular order.',
  body: z.object({ ids: z.array(z.string()).max(1000) }),
  output: z.object({ attachments: z.array(attachmentView) }),
});
