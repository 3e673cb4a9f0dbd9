import { defineCommand, jsonVariants, patchErrors } from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import { store, storeExists, noSuchStore, storeParams } from './store';

/** Changes individual fields of a store, so that concurrent writes do not overwrite each other. */
export const patchStore = defineCommand(
  {
    name: 'admin.patch-store',
    summary: 'Patch a store',
    description:
      'Applies a JSON Patch (RFC 6902) to the store as GET returns it, completely or not at all. All fields except `id` and `updated_timestamp` can be changed.',
    permission: 'view.patch_store',
    http: { method: 'PATCH', path: '/stores/{reference}', success: 200 },
    params: storeParams,
    headers: ifMatchHeaders,
    // The service validates the patch document, because patch errors have separate codes (400 `malformed_patch` and
    // others).
    body: jsonVariants({ 'application/json-patch+json': z.unknown() }),
    output: store,
    meta: z.object({ etag: z.string() }),
    errors: [noSuchStore, storeExists, ...patchErrors],
    examples: { request: [{ op: 'replace', path: '/phone', value: '+33 1 40 20 50 50' }] },
  },
  { response: ({ etag }) => ({ headers: { etag } }) },
);
