import { text } from '@receipts/kernel';

export const linkNotFound = {
  status: 404,
  code: 'link_not_found',
  description: 'this link leads to no receipt, or it was revoked',
} as const;

/** The limit per address. Pages are cheap to render, and people do not open receipts faster. */
export const renderingRate = { requests: 300, perSeconds: 60 } as const;

/** Headers of pages that only the holder of the link may see. */
export const privatePage = {
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
} as const;

/** Headers that distinguish people from programs. */
export const viewerHeaders = {
  'user-agent': text().optional(),
  'sec-purpose': text({ description: '`prefetch` where nobody looks yet.' }).optional(),
};
