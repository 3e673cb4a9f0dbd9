import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { store, noSuchStore, storeParams } from './store';

/** Returns a store by the reference that tills and back offices use. */
export const getStore = defineQuery(
  {
    name: 'admin.get-store',
    summary: 'Get a store',
    description:
      'By `reference` or by `external_reference`, percent-encoded. A text that equals an `external_reference` wins; otherwise digits name the `reference`, with or without leading zeros.',
    permission: 'view.get_store',
    http: { method: 'GET', path: '/stores/{reference}', success: 200 },
    params: storeParams,
    query: z.object({ pretty: flag('Readable formatting').optional() }),
    output: store,
    meta: z.object({ etag: z.string() }),
    errors: [noSuchStore],
  },
  { answer: ({ etag }) => ({ headers: { etag } }) },
);
