import { text } from '@receipts/kernel';

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
