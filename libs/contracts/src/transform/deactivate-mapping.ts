import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { mappingDocument, mappingMeta, mappingNotFound } from './mapping';

/** Deactivates a mapping. Packets that need it fail, but are kept and can be converted later. */
export const deactivateMapping = defineCommand(
  {
    name: 'transform.deactivate-mapping',
    summary: 'Deactivate a mapping',
    description: 'The active version becomes inactive. A mapping without an active version stays as it is.',
    permission: 'view.manage_mapping',
    http: { method: 'POST', path: '/pos/mappings/{id}/_deactivate', success: 200 },
    params: z.object({ id: z.string() }),
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingNotFound],
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
