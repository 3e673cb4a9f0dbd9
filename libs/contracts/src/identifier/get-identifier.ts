import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { identifier, identifierNotFound, identifierParams } from './identifier';

/** Used by back offices that show a consumer. */
export const getIdentifier = defineQuery(
  {
    name: 'identifier.get-identifier',
    summary: 'Get an identifier',
    description: 'Returns the properties of a consumer and the totals of their receipts.',
    permission: 'view.get_identifier',
    forConsumers: 'confined',
    http: { method: 'GET', path: '/identifiers/{identifier}', success: 200 },
    params: identifierParams,
    output: identifier,
    meta: z.object({ version: z.int() }),
    errors: [identifierNotFound],
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
