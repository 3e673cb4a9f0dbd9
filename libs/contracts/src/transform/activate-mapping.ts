import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import {
  mappingDocument,
  mappingInvalid,
  mappingMeta,
  mappingNotFound,
  mappingParams,
  samplesFailed,
} from './mapping';

/** Activates a version instead of the previous version, if all of its samples have the expected result. */
export const activateMapping = defineCommand(
  {
    name: 'transform.activate-mapping',
    summary: 'Activate a mapping',
    description:
      'Runs the samples of a version. If all of them pass, the version becomes active and the previous active version becomes inactive. ' +
      'Otherwise the response is 422 with the differences.',
    permission: 'view.manage_mapping',
    http: { method: 'POST', path: '/pos/mappings/{id}/_activate', success: 200 },
    params: mappingParams,
    body: {
      ...json(
        z.strictObject({
          version: z.int().min(1).optional().describe('The version to activate. Defaults to the newest.'),
        }),
      ),
      optional: true,
    },
    output: mappingDocument,
    meta: mappingMeta,
    errors: [mappingNotFound, mappingInvalid, samplesFailed],
    timeoutMs: 45_000,
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
