import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { receiptDeletedError } from '../receipt/errors';
import { choice, text } from '../shared/query-parameters';
import {
  languageHeader,
  languageParameter,
  linkNotFound,
  privatePage,
  tokenParams,
  viewerHeaders,
} from './receipt-links';
import { publicRoute } from '../shared/public-route';

const formats = ['text/html', 'text/plain', 'application/json'] as const;

/**
 * The page for the consumer. The link contains a secret, so anyone who has it may view the receipt. The page runs no
 * scripts, loads nothing from third parties except the retailer's logo, and must not be indexed by search engines.
 */
export const showReceipt = defineQuery(
  {
    name: 'delivery.show-receipt',
    summary: 'Show a receipt to its consumer',
    description:
      'Returns the receipt as a web page or as plain text. The link `_links.webview` of a receipt points here. The language is taken from `lang`, which the browser keeps for all receipts in a cookie, from `Accept-Language` (among ' +
      "the receipt's translations), from the receipt, from its store or from its retailer, in this order. " +
      'A link from `POST /receipts/_link` shows a page that refreshes itself until its receipt exists. ' +
      'As `application/json`, the response is `{status}`: `waiting` until then, and `ready` afterwards.',
    http: {
      method: 'GET',
      path: '/r/{token}',
      ...publicRoute,
      otherSuccess: [304],
      produces: formats,
      producedJson: z.object({
        status: z
          .enum(['waiting', 'ready'])
          .describe('`waiting` until the receipt of a reserved link exists, then `ready`.'),
      }),
    },
    params: tokenParams,
    query: z.object({
      lang: languageParameter,
      format: choice(
        ['json'],
        'With `json`, the response is `{status}` as JSON, `waiting` until the receipt of a reserved link exists, then `ready`.',
      ).optional(),
    }),
    headers: z.object({
      accept: choice(formats, 'The media type of the response.'),
      'accept-language': languageHeader,
      cookie: text({
        min: 0,
        max: 8192,
        description: 'The language that the reader has chosen before.',
        example: 'receipt-language=fr',
      }).optional(),
      'if-none-match': text({
        description: 'The `ETag` of the browser’s cached page. If it is still valid, the response is 304.',
        example: '"3"',
      }).optional(),
      ...viewerHeaders,
    }),
    output: rawOutput,
    meta: z.object({
      contentType: z.string(),
      etag: z.string(),
      isUnchanged: z.boolean(),
      language: z.string().optional(),
      /** The language that the browser keeps. */
      chosen: z.string().optional(),
      contentSecurityPolicy: z.string(),
    }),
    errors: [linkNotFound, receiptDeletedError],
    timeoutMs: 10_000,
  },
  {
    response: ({ etag, isUnchanged, language, chosen, contentSecurityPolicy }) => ({
      status: isUnchanged ? 304 : 200,
      headers: {
        ...privatePage,
        etag,
        ...(language !== undefined && { 'content-language': language }),
        vary: 'accept, accept-language, cookie',
        // Without a path, the cookie is sent for all links of receipts, also under a path prefix.
        ...(chosen !== undefined && {
          'set-cookie': `receipt-language=${chosen}; Max-Age=31536000; HttpOnly; SameSite=Lax`,
        }),
        'content-security-policy': contentSecurityPolicy,
      },
    }),
  },
);
