import { defineCommand, jsonVariants, patchErrors } from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import { operatorRetailer, retailerNotFound, retailerParams } from './retailer';

const mergePatch = z.record(z.string(), z.unknown());

/** Changes a retailer's name, VAT number or settings. Changes take effect in all services within a second. */
export const patchRetailer = defineCommand(
  {
    name: 'admin.patch-retailer',
    summary: 'Patch a retailer',
    description:
      'Accepts a JSON Patch (RFC 6902) as `application/json-patch+json`, or a JSON Merge Patch (RFC 7396) as `application/merge-patch+json` or `application/json`. It can change `name`, `vatno` and `settings`. A setting that is removed or merged with `null` returns to its default. Changes take effect in all services within a second.',
    http: { method: 'PATCH', path: '/operator/retailers/{id}', access: 'operator', success: 200 },
    params: retailerParams,
    headers: ifMatchHeaders,
    // The service validates the JSON Patch document, and the patched retailer with all its errors.
    body: jsonVariants({
      'application/json-patch+json': z.unknown(),
      'application/merge-patch+json': mergePatch,
      'application/json': mergePatch,
    }),
    output: operatorRetailer,
    meta: z.object({ etag: z.string() }),
    errors: [retailerNotFound, ...patchErrors],
    examples: { request: [{ op: 'replace', path: '/settings/timezone', value: 'Europe/Paris' }] },
  },
  { answer: ({ etag }) => ({ headers: { etag } }) },
);
