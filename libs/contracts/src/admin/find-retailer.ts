import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { retailer } from './retailer';

/** One retailer, for a service that meets it before its read model does. */
export const findRetailer = defineQuery({
  name: 'admin.find-retailer',
  summary: 'Find a retailer',
  description: 'Internal.',
  body: z.object({ id: z.string() }),
  output: z.object({ retailer: retailer.nullable() }),
});
