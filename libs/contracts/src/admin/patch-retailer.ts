import { defineCommand, jsonVariants, patchErrors } from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import { flag } from '../shared/query-parameters';
import { operatorRetailer, retailerNotFound, retailerParams } from './retailer';

/** The body also contains `used_by`: the type and id of everything that depends on the setting. */
export const settingInUse = {
  status: 409,
  code: 'setting_in_use',
  description: 'the filters of webhook endpoints use a dynamic field that the change removes or retypes',
};

const mergePatch = z.record(z.string(), z.unknown());

/** Changes a retailer's name, VAT number or settings. Changes take effect in all services within a second. */
export const patchRetailer = defineCommand(
  {
    name: 'admin.patch-retailer',
    summary: 'Patch a retailer',
    description:
      'Accepts a JSON Patch (RFC 6902) as `application/json-patch+json`, or a JSON Merge Patch (RFC 7396) as `application/merge-patch+json` or `application/json`. It can change `name`, `vatno` and `settings`. A setting that is removed or merged with `null` returns to its default. Changes take effect in all services within a second. A change of `dynamic_fields` that would make the filters of webhook endpoints invalid is rejected with 409 `setting_in_use`, which lists them in `used_by`; with `force=true` it is made, and these endpoints are disabled with the reason `invalid_filter`.',
    http: { method: 'PATCH', path: '/operator/retailers/{id}', access: 'operator', success: 200 },
    params: retailerParams,
    query: z.object({
      force: flag(
        'Whether to make a change that webhook endpoints depend on, and to disable these endpoints. Defaults to `false`.',
      ).optional(),
    }),
    headers: ifMatchHeaders,
    // The service validates the JSON Patch document, and the patched retailer with all its errors.
    body: jsonVariants({
      'application/json-patch+json': z.unknown(),
      'application/merge-patch+json': mergePatch,
      'application/json': mergePatch,
    }),
    output: operatorRetailer,
    meta: z.object({ etag: z.string() }),
    errors: [retailerNotFound, settingInUse, ...patchErrors],
    examples: { request: [{ op: 'replace', path: '/settings/timezone', value: 'Europe/Paris' }] },
  },
  { response: ({ etag }) => ({ headers: { etag } }) },
);
