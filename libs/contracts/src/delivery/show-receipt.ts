import { defineQuery, rawOutput, text, choice } from '@receipts/kernel';
import { z } from 'zod';
import { linkNotFound, privatePage, renderingRate, viewerHeaders } from './receipt-links';

const formats = ['text/html', 'text/plain'] as const;

/**
 * The page for the consumer. The link contains a secret, so whoever has it may view the receipt. The page runs no
 * scripts, loads nothing from third parties except the retailer's logo, and must not be indexed by search engines.
 */
export const showReceipt = defineQuery(
  {
    name: 'delivery.show-receipt',
    summary: 'Show a receipt to its consumer',
    description:
      'The page behind `_links.webview`, also as plain text. `lang` chooses the language; without it `Accept-Language` does, among the ' +
      'translations that the receipt has, and then the receipt, its store and its retailer.',
    http: {
      method: 'GET',
      path: '/r/{token}',
      access: 'public',
      success: 200,
      otherSuccess: [304],
      produces: formats,
      rate: renderingRate,
    },
    params: z.object({ token: text({ max: 200 }) }),
    query: z.object({ lang: text({ max: 35, description: 'A language tag (RFC 5646).' }).optional() }),
    headers: z.object({
      accept: choice(formats),
      'accept-language': text().optional(),
      'if-none-match': text().optional(),
      ...viewerHeaders,
    }),
    output: rawOutput,
    meta: z.object({
      contentType: z.string(),
      etag: z.string(),
      isUnchanged: z.boolean(),
      language: z.string(),
      contentSecurityPolicy: z.string(),
    }),
    errors: [linkNotFound],
    timeoutMs: 10_000,
  },
  {
    answer: ({ etag, isUnchanged, language, contentSecurityPolicy }) => ({
      status: isUnchanged ? 304 : 200,
      headers: {
        ...privatePage,
        etag,
        'content-language': language,
        vary: 'accept, accept-language',
        'content-security-policy': contentSecurityPolicy,
      },
    }),
  },
);
