import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { identifier, identifierNotFound } from './identifier';

/** Used by back offices that show a consumer. */
export const getIdentifier = defineQuery(
  {
    name: 'identifier.get-identifier',
    summary: 'Get an identifier',
    description: 'The properties of a consumer and what their receipts come to.',
    permission: 'view.get_identifier',
    http: { method: 'GET', path: '/identifiers/{identifier}', success: 200 },
    params: z.object({ identifier: z.string() }),
    query: z.object({ pretty: flag('Readable formatting').optional() }),
    output: identifier,
    meta: z.object({ version: z.int() }),
    errors: [identifierNotFound],
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
