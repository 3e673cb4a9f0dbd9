import { defineQuery, flag, integer } from '@receipts/kernel';
import { z } from 'zod';
import { mappingDocument, mappingMeta, mappingNotFound } from './mapping';

export const getMapping = defineQuery(
  {
    name: 'transform.get-mapping',
    summary: 'Get a mapping',
    description: 'The newest version, or the one that `version` names.',
    permission: 'view.manage_mapping',
    http: { method: 'GET', path: '/pos/mappings/{id}', success: 200 },
    params: z.object({ id: z.string() }),
    query: z.object({
      version: integer({ min: 1, max: 1_000_000_000 }).optional(),
      pretty: flag().optional(),
    }),
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingNotFound],
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
