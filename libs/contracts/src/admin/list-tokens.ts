import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { clientNotFound, tokenParams } from './client';
import { listLinks, timestampField } from '../shared/fields';
import { unknownCursor } from '../shared/paging';

/** Lists the tokens issued for a client and whether they are still valid. */
export const listTokens = defineQuery({
  name: 'admin.list-tokens',
  summary: 'List the tokens of a bearer client',
  description:
    'The token that was issued last comes first. Tokens that an integrator signed itself are not known here. `last_used` is kept to the minute or so.',
  permission: 'view.get_client',
  http: { method: 'GET', path: '/clients/bearer/{client_id}/tokens', success: 200 },
  params: tokenParams,
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Tokens on a page; 100 when it is not given.',
    }).optional(),
    older: text({ max: 64, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({
    tokens: z.array(
      z.object({
        jti: z.string(),
        issued: timestampField,
        expires: timestampField.nullable(),
        revoked: z.boolean(),
        last_used: timestampField.nullable(),
      }),
    ),
    _links: listLinks,
  }),
  errors: [clientNotFound, unknownCursor],
});
