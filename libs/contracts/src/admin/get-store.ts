import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { store, noSuchStore, storeParams } from './store';

/** Returns a store by the reference that tills and back offices use. */
export const getStore = defineQuery(
  {
    name: 'admin.get-store',
    summary: 'Get a store',
    description:
      'Finds a store by its `reference` or its `external_reference`. A value that equals an `external_reference` is interpreted as such; otherwise digits, with or without leading zeros, are interpreted as a `reference`.',
    permission: 'view.get_store',
    forStores: 'confined',
    forConsumers: 'unrelated',
    http: { method: 'GET', path: '/stores/{reference}', success: 200 },
    params: storeParams,
    output: store,
    meta: z.object({ etag: z.string() }),
    errors: [noSuchStore],
  },
  { response: ({ etag }) => ({ headers: { etag } }) },
);
