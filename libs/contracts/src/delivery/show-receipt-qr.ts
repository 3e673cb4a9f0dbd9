import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { receiptDeletedError } from '../receipt/errors';
import { choice } from '../shared/query-parameters';
import { linkNotFound, privatePage, tokenParams } from './receipt-links';
import { publicRoute } from '../shared/public-route';

const formats = ['image/png', 'image/svg+xml'] as const;

/** For the screen of a till: the consumer scans the QR code to open the page on a phone. */
export const showReceiptQr = defineQuery(
  {
    name: 'delivery.show-receipt-qr',
    summary: "Show the QR code of a receipt's page",
    description:
      'Returns a QR code with the link to the page, as PNG or SVG. The link `_links.webview.qrcode` of a receipt points here.',
    http: {
      method: 'GET',
      path: '/r/{token}/qr',
      ...publicRoute,
      produces: formats,
    },
    params: tokenParams,
    headers: z.object({ accept: choice(formats, 'The media type of the response.') }),
    output: rawOutput,
    meta: z.object({ contentType: z.string() }),
    errors: [linkNotFound, receiptDeletedError],
  },
  { response: () => ({ headers: { ...privatePage, 'content-security-policy': "default-src 'none'" } }) },
);
