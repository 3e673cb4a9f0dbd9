import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import {
  attachmentDeleted,
  attachmentNotFound,
  attachmentParams,
  untrustedContentHeaders,
} from './attachment';

/** Returns the posted bytes. They are untrusted, so the headers prevent browsers from executing them in our origin. */
export const getAttachment = defineQuery(
  {
    name: 'ingest.get-attachment',
    summary: 'Get an attachment',
    description:
      "Returns the file with its media type. With `consumer`, only attachments of those consumers' receipts can be read. An attachment is deleted together with the last receipt that refers to it.",
    permission: 'view.get_attachment',
    forConsumers: 'confined',
    http: { method: 'GET', path: '/attachments/{id}', success: 200, consumerScoped: true },
    params: attachmentParams,
    output: rawOutput,
    meta: z.object({ contentType: z.string(), filename: z.string() }),
    errors: [attachmentNotFound, attachmentDeleted],
    timeoutMs: 10_000,
  },
  { response: ({ filename }) => ({ headers: untrustedContentHeaders(filename) }) },
);
