import { bytes, defineCommand, text } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentTooLarge, filenameMissing } from './attachment';

/** Large data of a receipt is posted first and then linked by its id. */
export const createAttachment = defineCommand(
  {
    name: 'ingest.create-attachment',
    summary: 'Post an attachment',
    description:
      'The body is the data itself, with its Content-Type and a `Content-Disposition: attachment; filename=<name>` header.',
    permission: 'view.post_attachment',
    http: { method: 'POST', path: '/attachments', success: 201 },
    headers: z.object({
      'content-disposition': text({ min: 0, max: 8192 }).meta({ needed: true }).optional(),
    }),
    body: bytes('attachment'),
    output: z.object({ id: z.string(), url: z.string() }),
    meta: z.object({ id: z.string() }),
    errors: [filenameMissing, attachmentTooLarge],
    timeoutMs: 10_000,
  },
  { answer: ({ id }) => ({ headers: { location: `/attachments/${id}` } }) },
);
