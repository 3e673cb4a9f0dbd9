import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { integer } from '../shared/query-parameters';
import { mappingDocument, mappingMeta, mappingNotFound, mappingParams } from './mapping';

export const getMapping = defineQuery(
  {
    name: 'transform.get-mapping',
    summary: 'Get a mapping',
    description: 'Returns the newest version of a mapping, or the requested version.',
    permission: 'view.manage_mapping',
    http: { method: 'GET', path: '/pos/mappings/{id}', success: 200 },
    params: mappingParams,
    query: z.object({
      version: integer({
        min: 1,
        max: 1_000_000_000,
        description: 'The version to return, instead of the newest.',
        example: 2,
      }).optional(),
    }),
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingNotFound],
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
