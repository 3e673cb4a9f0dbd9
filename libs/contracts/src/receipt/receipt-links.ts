import { z } from 'zod';

const href = z.object({ href: z.string() });

/** Where a consumer sees a receipt. Whoever has these addresses may look, until they are revoked. */
export const receiptLinks = z.object({ webview: href.extend({ qrcode: href }), pdf: href });

export type ReceiptLinks = z.output<typeof receiptLinks>;

/** The addresses of a receipt's renderings. */
export function linksTo(publicUrl: string, token: string): ReceiptLinks {
  const page = `${publicUrl}/r/${token}`;
  return { webview: { href: page, qrcode: { href: `${page}/qr` } }, pdf: { href: `${page}/pdf` } };
}
