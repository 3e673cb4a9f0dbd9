import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { characters } from '../shared/characters';
import { postedStore, storeExists, storeRecord } from './store';

/** Stores the store data that a receipt contains, if the retailer's settings allow it. Admin owns all stores. */
export const savePostedStore = defineCommand({
  name: 'admin.save-posted-store',
  summary: 'Create or update the store contained in a receipt',
  description:
    'Internal. Creates the store named by `store_reference`, or sets the fields in `store`. Retrying the command ' +
    'with the same store changes nothing and publishes no event.',
  body: z.object({
    store_reference: z.union([z.int().min(1), characters(1, 255)]),
    store: postedStore,
  }),
  output: z.object({ store: storeRecord }),
  errors: [storeExists, concurrentWrite],
});
