import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { clientNotFound, tokenExpiry, tokenId, tokenParams } from './client';
import { listLinks, timestampField } from '../shared/fields';
import { pageCount, pageCursor, unknownCursor } from '../shared/paging';

/** Lists the tokens issued for a client and whether they are still valid. */
export const listTokens = defineQuery({
  name: 'admin.list-tokens',
  summary: 'List the tokens of a bearer client',
  description:
    'Returns the tokens that were issued with `POST /clients/bearer/{client_id}/tokens`, newest first. Tokens that you sign yourself are not listed.',
  permission: 'view.get_client',
  http: { method: 'GET', path: '/clients/bearer/{client_id}/tokens', success: 200 },
  params: tokenParams,
  query: z.object({
    count: pageCount,
    older: pageCursor(64),
  }),
  output: z.object({
    tokens: z
      .array(
        z.object({
          jti: tokenId,
          issued: timestampField.describe('When the token was issued.'),
          expires: tokenExpiry,
          revoked: z
            .boolean()
            .describe(
              'Whether the token is revoked, individually or with all tokens issued before a certain time.',
            ),
          last_used: timestampField
            .nullable()
            .describe(
              'When the token was last used, accurate to about a minute; `null` if it was never used.',
            ),
        }),
      )
      .describe('The tokens of this page, newest first.'),
    _links: listLinks,
  }),
  errors: [clientNotFound, unknownCursor],
});
