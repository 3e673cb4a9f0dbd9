import { bytes, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { text } from '../shared/query-parameters';
import { attachmentView, filenameMissing } from './attachment';

/** Large data that belongs to a receipt is posted first; the receipt then refers to it by id. */
export const createAttachment = defineCommand(
  {
    name: 'ingest.create-attachment',
    summary: 'Post an attachment',
    description:
      'Stores a file that receipts can reference by its id. The body is the file itself, with its Content-Type.',
    permission: 'view.post_attachment',
    forConsumers: 'confined',
    http: { method: 'POST', path: '/attachments', success: 201 },
    headers: z.object({
      'content-disposition': text({
        min: 0,
        max: 8192,
        description: 'The name of the file: `attachment; filename=<name>`.',
        example: 'attachment; filename=guarantee.pdf',
      })
        .meta({ needed: true })
        .optional(),
    }),
    body: bytes('attachment'),
    output: attachmentView.pick({ id: true, url: true }),
    meta: z.object({ id: z.string() }),
    errors: [filenameMissing],
    timeoutMs: 10_000,
  },
  { response: ({ id }) => ({ headers: { location: `/attachments/${id}` } }) },
);
