import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { snapshotNext, snapshotPage } from './snapshot';
import { storeRecord } from './store';

/** A snapshot of the stores of all retailers, for copies. */
export const listStoreRecords = defineQuery({
  name: 'admin.list-store-records',
  summary: 'Get a snapshot of stores',
  description: 'Internal.',
  body: snapshotPage,
  output: z.object({ stores: z.array(storeRecord), next: snapshotNext }),
});
