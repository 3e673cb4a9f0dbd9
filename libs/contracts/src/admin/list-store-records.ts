import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { snapshotNext, snapshotPage } from './snapshot';
import { storeRecord } from './store';

/** Snapshot of the stores of every retailer, for read models. */
export const listStoreRecords = defineQuery({
  name: 'admin.list-store-records',
  summary: 'Snapshot of stores',
  description: 'Internal.',
  body: snapshotPage,
  output: z.object({ stores: z.array(storeRecord), next: snapshotNext }),
});
