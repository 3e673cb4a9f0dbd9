import { defineCommand, jsonVariants, patchErrors } from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import {
  compilingMs,
  mappingDocument,
  mappingInvalid,
  mappingMeta,
  mappingNotFound,
  mappingParams,
} from './mapping';

/** Versions are immutable: a patch of the newest version creates the next version. */
export const patchMapping = defineCommand(
  {
    name: 'transform.patch-mapping',
    summary: 'Patch a mapping',
    description:
      'Applies a JSON Patch (RFC 6902) to the newest version and stores the result as the next version, a draft.',
    permission: 'view.manage_mapping',
    http: { method: 'PATCH', path: '/pos/mappings/{id}', success: 200 },
    params: mappingParams,
    headers: ifMatchHeaders,
    body: jsonVariants({ 'application/json-patch+json': z.unknown() }),
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingNotFound, mappingInvalid, ...patchErrors],
    timeoutMs: compilingMs,
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
