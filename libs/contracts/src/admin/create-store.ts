import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { postedStore, store, storeExists } from './store';

/**
 * Stores are master data. Receipts reference them, and their address, time zone and currency fill in what a till omits.
 */
export const createStore = defineCommand(
  {
    name: 'admin.create-store',
    summary: 'Create a store',
    description:
      'Creates a store. `reference` and `external_reference` are each unique per retailer: a value that is already in use causes 409 `store_exists`.',
    permission: 'view.post_store',
    http: { method: 'POST', path: '/stores', success: 201 },
    body: json(postedStore),
    output: store.pick({ reference: true }),
    meta: z.object({ reference: z.int() }),
    errors: [storeExists],
    examples: {
      request: {
        reference: 1,
        name: 'Rue de Rivoli',
        country: 'FRA',
        timezone: 'Europe/Paris',
        currency: 'EUR',
      },
      response: { reference: 1 },
    },
  },
  { response: ({ reference }) => ({ headers: { location: `/stores/${reference}` } }) },
);
