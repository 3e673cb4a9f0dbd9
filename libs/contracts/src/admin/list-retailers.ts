import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { retailer } from './retailer';
import { snapshotNext, snapshotPage } from './snapshot';

/** A snapshot of all retailers with their complete settings, for copies. */
export const listRetailers = defineQuery({
  name: 'admin.list-retailers',
  summary: 'Get a snapshot of retailers',
  description: 'Internal.',
  body: snapshotPage,
  output: z.object({ retailers: z.array(retailer), next: snapshotNext }),
});
