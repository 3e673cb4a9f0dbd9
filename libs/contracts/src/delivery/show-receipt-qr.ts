import { choice, defineQuery, rawOutput, text } from '@receipts/kernel';
import { z } from 'zod';
import { linkNotFound, privatePage, renderingRate } from './receipt-links';

const formats = ['image/png', 'image/svg+xml'] as const;

/** For the screen of a till: the consumer scans it and opens the page on the phone. */
export const showReceiptQr = defineQuery(
  {
    name: 'delivery.show-receipt-qr',
    summary: "Show the QR code of a receipt's page",
    description: 'What `_links.webview.qrcode` leads to: a PNG, or an SVG for who asks for one.',
    http: {
      method: 'GET',
      path: '/r/{token}/qr',
      access: 'public',
      success: 200,
      produces: formats,
      rate: renderingRate,
    },
    params: z.object({ token: text({ max: 200 }) }),
    headers: z.object({ accept: choice(formats) }),
    output: rawOutput,
    meta: z.object({ contentType: z.string() }),
    errors: [linkNotFound],
  },
  { answer: () => ({ headers: { ...privatePage, 'content-security-policy': "default-src 'none'" } }) },
);
