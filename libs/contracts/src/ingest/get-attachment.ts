import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentNotFound, untrustedContentHeaders } from './attachment';

/** Returns the posted bytes. They are untrusted, so the headers prevent browsers from executing them in our origin. */
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
