import { z } from 'zod';

/** The path parameter of endpoints for a single receipt. */
export const receiptParams = z.object({
  id: z.string().meta({ description: 'The id of the receipt.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
});

const href = z.string();

/** The links to a receipt's renderings. Anyone who has a link may view the receipt, until the links are revoked. */
export const receiptLinks = z
  .object({
    webview: z
      .object({
        href: href.describe('The URL of the page.'),
        qrcode: z
          .object({ href: href.describe('The URL of the QR code.') })
          .describe('A QR code that links to the page, as PNG or SVG.'),
      })
      .describe('The receipt as a web page for the consumer.'),
    pdf: z.object({ href: href.describe('The URL of the PDF.') }).describe('The receipt as a PDF.'),
  })
  .describe('Links to renderings of the receipt. They need no credential.');

export type ReceiptLinks = z.output<typeof receiptLinks>;

/** @param path the first segment of the links */
export function linksTo(publicUrl: string, token: string, path: 'r' | 'gift' = 'r'): ReceiptLinks {
  const page = `${publicUrl}/${path}/${token}`;
  return { webview: { href: page, qrcode: { href: `${page}/qr` } }, pdf: { href: `${page}/pdf` } };
}

/** The URL of an attachment, for everybody who has the link to the receipt's page. */
export const attachmentHref = (pageHref: string, label: string) =>
  `${pageHref}/attachments/${encodeURIComponent(label)}`;
