import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentNotFound, untrustedContentHeaders } from '../ingest/attachment';
import { processingPending, receiptDeletedError } from '../receipt/errors';
import { text } from '../shared/query-parameters';
import { linkNotFound, privatePage, tokenParams } from './receipt-links';
import { publicRoute } from '../shared/public-route';

/** Returns an attachment to anyone who has the link of the receipt. Consumers have no credential. */
export const showReceiptAttachment = defineQuery(
  {
    name: 'delivery.show-receipt-attachment',
    summary: 'Show an attachment of a receipt',
    description: 'Returns the file with its media type. The page and the PDF of the receipt link here.',
    http: { method: 'GET', path: '/r/{token}/attachments/{label}', ...publicRoute },
    params: tokenParams.extend({
      label: text({ max: 64, description: 'The label of the attachment.', example: 'warranty' }),
    }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), filename: z.string() }),
    errors: [linkNotFound, receiptDeletedError, processingPending, attachmentNotFound],
    timeoutMs: 10_000,
  },
  { response: ({ filename }) => ({ headers: { ...privatePage, ...untrustedContentHeaders(filename) } }) },
);
