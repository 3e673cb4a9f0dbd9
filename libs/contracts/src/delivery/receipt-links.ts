import { text } from '@receipts/kernel';
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

export const linkNotFound = {
  status: 404,
  code: 'link_not_found',
  description: 'this link leads to no receipt, or it was revoked',
} as const;

/** For each address; a page is cheap, and nobody reads receipts faster. */
export const renderingRate = { requests: 300, perSeconds: 60 } as const;

/** Headers of what only the holder of a link sees. */
export const privatePage = {
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
} as const;

/** By which people are told from programs. */
export const viewerHeaders = {
  'user-agent': text().optional(),
  'sec-purpose': text({ description: '`prefetch` where nobody looks yet.' }).optional(),
};
