import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { storeRecord } from './store';

/** Finds the store of a receipt's `store_reference`. Used by services whose copy does not contain it yet. */
export const findStore = defineQuery({
  name: 'admin.find-store',
  summary: 'Find a store by its reference or external reference',
  description: 'Internal. Only finds stores of the calling retailer.',
  body: z.object({ reference: z.string() }),
  output: z.object({ store: storeRecord.nullable() }),
});
