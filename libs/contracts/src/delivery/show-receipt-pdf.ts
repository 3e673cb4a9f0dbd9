import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError } from '../receipt/errors';
import { choice } from '../shared/query-parameters';
import {
  languageHeader,
  languageParameter,
  linkNotFound,
  privatePage,
  tokenParams,
  viewerHeaders,
} from './receipt-links';
import { publicRoute } from '../shared/public-route';

/** For archiving and printing, on A4 or in the format of a receipt roll. */
export const showReceiptPdf = defineQuery(
  {
    name: 'delivery.show-receipt-pdf',
    summary: 'Show a receipt as a PDF',
    description:
      'Returns the receipt as a PDF. The link `_links.pdf` of a receipt points here. The language is chosen as for the page. ' +
      'If the texts of items and payments have more than 200,000 characters in total, long texts are shortened; the page shows all of them.',
    http: { method: 'GET', path: '/r/{token}/pdf', ...publicRoute },
    params: tokenParams,
    query: z.object({
      lang: languageParameter,
      format: choice(['a4', 'roll'], 'The paper format: A4, or a receipt roll of 80 mm.').default('a4'),
    }),
    headers: z.object({ 'accept-language': languageHeader, ...viewerHeaders }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), filename: z.string() }),
    errors: [linkNotFound, receiptDeletedError, processingPending],
    timeoutMs: 30_000,
  },
  {
    response: ({ filename }) => ({
      headers: {
        ...privatePage,
        'content-disposition': `inline; filename="${filename}"`,
        'content-security-policy': "default-src 'none'",
      },
    }),
  },
);
