import { z } from 'zod';

const href = z.object({ href: z.string() });

/** The links to a receipt's renderings. Whoever has a link may view the receipt, until the links are revoked. */
export const receiptLinks = z.object({ webview: href.extend({ qrcode: href }), pdf: href });

export type ReceiptLinks = z.output<typeof receiptLinks>;

export function linksTo(publicUrl: string, token: string): ReceiptLinks {
  const page = `${publicUrl}/r/${token}`;
  return { webview: { href: page, qrcode: { href: `${page}/qr` } }, pdf: { href: `${page}/pdf` } };
}
