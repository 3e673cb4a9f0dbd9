import { defineCommand, serializedError } from '@receipts/kernel';
import { z } from 'zod';
import type { PostedReceipt } from '../receipt';

/** The maximum number of receipts in one packet. */
export const convertedReceiptsMax = 1_000;

/** Transform has already validated it against the schema of posted receipts. */
const checkedReceipt = z.unknown() as unknown as z.ZodType<PostedReceipt, PostedReceipt>;

/**
 * Stores the receipts of a converted packet. The sender has validated each receipt. This command makes the checks that
 * depend on stored data, as for posted receipts: the ids must be unique and the store known.
 */
export const addConvertedReceipts = defineCommand({
  name: 'receipt-store.add-converted-receipts',
  summary: 'Store the receipts of a converted packet',
  description:
    'Returns an outcome for each receipt, in order. Retrying the command with the same packet succeeds.',
  body: z.object({
    pos_data_id: z.string(),
    receipts: z
      .array(z.object({ id: z.string(), receipt: checkedReceipt }))
      .min(1)
      .max(convertedReceiptsMax),
  }),
  output: z.object({
    results: z.array(z.union([z.object({ id: z.string() }), z.object({ error: serializedError })])),
  }),
});
