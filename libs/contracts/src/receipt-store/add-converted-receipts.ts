import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import type { PostedReceipt } from '../receipt';
import { errorOnTheWire } from '../receipt/errors';

/** The receipts that one packet may be converted into. */
export const convertedReceiptsMax = 1_000;

/** The converter has checked it against the schema of posted receipts already. */
const checkedReceipt = z.unknown() as unknown as z.ZodType<PostedReceipt, PostedReceipt>;

/**
 * A raw receipt has been converted. Whoever sends this has checked each receipt; what is left to decide here is what a
 * posted receipt is asked as well: whether its ids are taken and its store is known.
 */
export const addConvertedReceipts = defineCommand({
  name: 'receipt-store.add-converted-receipts',
  summary: 'Store the receipts of a converted packet',
  description:
    'Answers for each receipt by itself, in order. The same id with the same packet again is a success, so that the command can be repeated.',
  body: z.object({
    pos_data_id: z.string(),
    receipts: z
      .array(z.object({ id: z.string(), receipt: checkedReceipt }))
      .min(1)
      .max(convertedReceiptsMax),
  }),
  output: z.object({
    results: z.array(z.union([z.object({ id: z.string() }), z.object({ error: errorOnTheWire })])),
  }),
});
