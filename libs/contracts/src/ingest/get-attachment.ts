import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentNotFound, untrustedContentHeaders } from './attachment';

/** The bytes, as they were posted. They are a stranger's: no browser may run them as a page of ours. */
export const getAttachment = defineQuery(
  {
    name: 'ingest.get-attachment',
    summary: 'Get an attachment',
    description:
      'The bytes with their type. A consumer can fetch an attachment only when a receipt of theirs links to it.',
    permission: 'view.get_attachment',
    http: { method: 'GET', path: '/attachments/{id}', success: 200, consumerScoped: true },
    params: z.object({ id: z.string() }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), filename: z.string() }),
    errors: [attachmentNotFound],
    timeoutMs: 10_000,
  },
  { answer: ({ filename }) => ({ headers: untrustedContentHeaders(filename) }) },
);
