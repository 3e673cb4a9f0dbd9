import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/**
 * Removes all personal data of a consumer from the receipts. The receipts themselves remain, because they are part of
 * the retailer's accounts.
 */
export const eraseConsumer = defineCommand({
  name: 'receipt-store.erase-consumer',
  summary: 'Erase a consumer from receipts',
  description:
    'Internal. Runs for about a second and returns whether the erasure is complete; repeat the command until it is. ' +
    'With `receipts`, only those receipts are processed. `receipt.updated` is published for each receipt.',
  body: z.object({
    identifier: z.string(),
    receipts: z.array(z.string()).max(200).optional(),
  }),
  output: z.object({ erased: z.int(), done: z.boolean() }),
});
