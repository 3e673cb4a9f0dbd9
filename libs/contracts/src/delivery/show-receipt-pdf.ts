import { choice, defineQuery, rawOutput, text } from '@receipts/kernel';
import { z } from 'zod';
import { linkNotFound, privatePage, renderingRate, viewerHeaders } from './receipt-links';

/** For archiving and printing, on A4 or in the format of a receipt roll. */
export const showReceiptPdf = defineQuery(
  {
    name: 'delivery.show-receipt-pdf',
    summary: 'Show a receipt as a PDF',
    description: 'What `_links.pdf` leads to. The language is chosen as for the page.',
    http: { method: 'GET', path: '/r/{token}/pdf', access: 'public', success: 200, rate: renderingRate },
    params: z.object({ token: text({ max: 200 }) }),
    query: z.object({
      lang: text({ max: 35, description: 'A language tag (RFC 5646).' }).optional(),
      format: choice(['a4', 'roll'], 'The paper: A4, or a roll of 80 mm.').default('a4'),
    }),
    headers: z.object({ 'accept-language': text().optional(), ...viewerHeaders }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), filename: z.string() }),
    errors: [linkNotFound],
    timeoutMs: 10_000,
  },
  {
    answer: ({ filename }) => ({
      headers: {
        ...privatePage,
        'content-disposition': `inline; filename="${filename}"`,
        'content-security-policy': "default-src 'none'",
      },
    }),
  },
);
