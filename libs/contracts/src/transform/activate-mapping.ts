import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { mappingDocument, mappingInvalid, mappingMeta, mappingNotFound, samplesFailed } from './mapping';

/** Activates a version instead of the previous one, if all of its samples have the expected result. */
export const activateMapping = defineCommand(
  {
    name: 'transform.activate-mapping',
    summary: 'Activate a mapping',
    description:
      'Runs the samples of the version (the newest unless another is named). When all pass, the version becomes active and the ' +
      'one that was active becomes inactive. Otherwise 422 says which sample differs, where and how.',
    permission: 'view.manage_mapping',
    http: { method: 'POST', path: '/pos/mappings/{id}/_activate', success: 200 },
    params: z.object({ id: z.string() }),
    body: { ...json(z.strictObject({ version: z.int().min(1).optional() })), optional: true },
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingNotFound, mappingInvalid, samplesFailed],
    timeoutMs: 45_000,
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
