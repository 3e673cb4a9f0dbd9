import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { retailer } from './retailer';

/** Used by services whose copy does not contain the retailer yet. */
export const findRetailer = defineQuery({
  name: 'admin.find-retailer',
  summary: 'Find a retailer',
  description: 'Internal.',
  body: z.object({ id: z.string() }),
  output: z.object({ retailer: retailer.nullable() }),
});
