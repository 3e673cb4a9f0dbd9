import { z } from 'zod';
import { text } from '../shared/query-parameters';

export const linkNotFound = {
  status: 404,
  code: 'link_not_found',
  description: 'the link is invalid or was revoked',
} as const;

/** Headers of pages that only the holder of the link may see. */
export const privatePage = {
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
} as const;

/** The token of a link, and the language of the page. */
export const tokenParams = z.object({
  token: text({ max: 200, description: 'The secret token of the link.', example: 'Q2hhbmdlTWU' }),
});
export const languageParameter = text({
  max: 35,
  description: 'The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.',
  example: 'fr-FR',
}).optional();
export const languageHeader = text({
  description: 'The languages that the reader prefers.',
  example: 'fr-FR, en;q=0.8',
}).optional();

/** Headers that distinguish people from programs. */
export const viewerHeaders = {
  'user-agent': text({
    description: 'The program that sends the request. Used to distinguish people from programs.',
    example: 'Mozilla/5.0',
  }).optional(),
  'sec-purpose': text({
    description: '`prefetch` if the browser loads the page in advance.',
    example: 'prefetch',
  }).optional(),
};
