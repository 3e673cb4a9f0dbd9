import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { giftEnded } from '../receipt-store/gift-errors';
import { choice } from '../shared/query-parameters';
import { languageHeader, languageParameter, linkNotFound, privatePage, tokenParams } from './receipt-links';
import { publicRoute } from '../shared/public-route';

const errors = [linkNotFound, giftEnded];
const path = '/gift/{token}';

/**
 * The page for the recipient of a gift. It shows nothing that tells what the gift cost, and it leads to no other page
 * of the receipt.
 */
export const showGiftReceipt = defineQuery(
  {
    name: 'delivery.show-gift-receipt',
    summary: 'Show a gift receipt',
    description:
      'Returns the gift receipt as a web page, with the returns code as CODE128. The link `webview` of a gift receipt points here. The language is chosen as for a receipt.',
    http: { method: 'GET', path, ...publicRoute, produces: ['text/html'] },
    params: tokenParams,
    query: z.object({ lang: languageParameter }),
    headers: z.object({
      accept: choice(['text/html'], 'The media type of the response.'),
      'accept-language': languageHeader,
    }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), language: z.string(), contentSecurityPolicy: z.string() }),
    errors,
    timeoutMs: 10_000,
  },
  {
    response: ({ language, contentSecurityPolicy }) => ({
      headers: {
        ...privatePage,
        'content-language': language,
        vary: 'accept-language',
        'content-security-policy': contentSecurityPolicy,
      },
    }),
  },
);

export const showGiftReceiptPdf = defineQuery(
  {
    name: 'delivery.show-gift-receipt-pdf',
    summary: 'Show a gift receipt as a PDF',
    description: 'Returns the gift receipt as a PDF. The link `pdf` of a gift receipt points here.',
    http: { method: 'GET', path: `${path}/pdf`, ...publicRoute },
    params: tokenParams,
    query: z.object({
      lang: languageParameter,
      format: choice(['a4', 'roll'], 'The paper format: A4, or a receipt roll of 80 mm.').default('a4'),
    }),
    headers: z.object({ 'accept-language': languageHeader }),
    output: rawOutput,
    meta: z.object({ contentType: z.string() }),
    errors,
    timeoutMs: 30_000,
  },
  {
    response: () => ({
      headers: {
        ...privatePage,
        'content-disposition': 'inline; filename="gift-receipt.pdf"',
        'content-security-policy': "default-src 'none'",
      },
    }),
  },
);

const images = ['image/png', 'image/svg+xml'] as const;

export const showGiftReceiptQr = defineQuery(
  {
    name: 'delivery.show-gift-receipt-qr',
    summary: 'Show the QR code of a gift receipt',
    description:
      'Returns a QR code with the link to the page of the gift receipt, as PNG or SVG. The link `webview.qrcode` of a gift receipt points here.',
    http: { method: 'GET', path: `${path}/qr`, ...publicRoute, produces: images },
    params: tokenParams,
    headers: z.object({ accept: choice(images, 'The media type of the response.') }),
    output: rawOutput,
    meta: z.object({ contentType: z.string() }),
    errors,
  },
  { response: () => ({ headers: { ...privatePage, 'content-security-policy': "default-src 'none'" } }) },
);
