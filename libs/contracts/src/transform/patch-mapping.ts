import {
  concurrentWrite,
  defineCommand,
  fieldNotModifiable,
  jsonVariants,
  malformedPatch,
  patchNotApplicable,
  patchTestFailed,
  preconditionFailed,
  text,
} from '@receipts/kernel';
import { z } from 'zod';
import { compilingMs, mappingDocument, mappingInvalid, mappingMeta, mappingNotFound } from './mapping';

/** Versions are immutable: a patch of the newest one creates the next one. */
export const patchMapping = defineCommand(
  {
    name: 'transform.patch-mapping',
    summary: 'Patch a mapping',
    description:
      'Applies a JSON Patch to the newest version and keeps the result as the next version, a draft.',
    permission: 'view.manage_mapping',
    http: { method: 'PATCH', path: '/pos/mappings/{id}', success: 200 },
    params: z.object({ id: z.string() }),
    headers: z.object({ 'if-match': text({ max: 1000 }).optional() }),
    body: jsonVariants({ 'application/json-patch+json': z.unknown() }),
    output: mappingDocument,
    meta: mappingMeta,
    errors: [
      mappingNotFound,
      mappingInvalid,
      malformedPatch,
      patchNotApplicable,
      fieldNotModifiable,
      patchTestFailed,
      preconditionFailed,
      concurrentWrite,
    ],
    timeoutMs: compilingMs,
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
