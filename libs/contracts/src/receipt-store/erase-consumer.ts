import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/**
 * Removes all personal data of a consumer from the receipts. The receipts themselves remain, because they are part of
 * the retailer's accounts.
 */
export const eraseConsumer = defineCommand({
  name: 'receipt-store.erase-consumer',
  summary: 'Take a consumer out of the receipts',
  description:
    'Internal. Works for about a second and tells whether all is done; until then it is to be sent again. With `receipts` only these are worked on. `receipt.updated` tells of each receipt.',
  body: z.object({
    identifier: z.string(),
    receipts: z.array(z.string()).max(200).optional(),
  }),
  output: z.object({ erased: z.int(), done: z.boolean() }),
});
