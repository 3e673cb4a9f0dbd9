import { concurrentWrite, defineCommand, json } from '@receipts/kernel';
import { compilingMs, mappingDocument, mappingInvalid, mappingMeta, postedMapping } from './mapping';

/** Defines how packets are converted. The mapping is not used before it is activated. */
export const createMapping = defineCommand(
  {
    name: 'transform.create-mapping',
    summary: 'Post a mapping',
    description:
      'Creates the first version of a mapping, or the next version of an existing mapping, as a draft. ' +
      'A regular expression (RE2) or an expression that cannot be compiled causes 422.',
    permission: 'view.manage_mapping',
    http: { method: 'POST', path: '/pos/mappings', success: 201 },
    body: json(postedMapping),
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingInvalid, concurrentWrite],
    timeoutMs: compilingMs,
  },
  {
    response: ({ id, version }) => ({
      headers: { location: `/pos/mappings/${encodeURIComponent(id)}`, etag: `"${version}"` },
    }),
  },
);
