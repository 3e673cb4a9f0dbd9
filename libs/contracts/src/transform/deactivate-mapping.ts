import { defineCommand } from '@receipts/kernel';
import { mappingDocument, mappingMeta, mappingNotFound, mappingParams } from './mapping';

/** Deactivates a mapping. Packets that need it fail, but are kept and can be converted later. */
export const deactivateMapping = defineCommand(
  {
    name: 'transform.deactivate-mapping',
    summary: 'Deactivate a mapping',
    description: 'Makes the active version inactive. A mapping without an active version does not change.',
    permission: 'view.manage_mapping',
    http: { method: 'POST', path: '/pos/mappings/{id}/_deactivate', success: 200 },
    params: mappingParams,
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingNotFound],
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
