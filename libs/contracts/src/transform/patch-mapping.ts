import { defineCommand, jsonVariants, text } from '@receipts/kernel';
import { z } from 'zod';
import { mappingDocument, mappingInvalid, mappingMeta, mappingNotFound } from './mapping';

/** Versions never change: a patch of the newest makes the next one. */
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
      { status: 400, code: 'malformed_patch', description: 'the patch is malformed' },
      { status: 409, code: 'patch_test_failed', description: 'a test of the patch failed' },
      { status: 412, code: 'precondition_failed', description: 'the mapping was changed meanwhile' },
      { status: 422, code: 'patch_not_applicable', description: 'the patch can not be applied' },
    ],
  },
  { answer: ({ etag }) => ({ headers: { etag } }) },
);
