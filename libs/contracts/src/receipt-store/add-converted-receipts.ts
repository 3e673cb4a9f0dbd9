import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { mappingVersion } from '../ingest/packet';
import type { PostedReceipt } from '../receipt';

/** The maximum number of receipts in one packet. */
export const convertedReceiptsMax = 1_000;

/** Transform has already validated it against the schema of posted receipts. */
const checkedReceipt = z.unknown() as unknown as z.ZodType<PostedReceipt, PostedReceipt>;

/**
 * Stores the receipts of a converted packet. The sender has validated each receipt. This command makes the checks that
 * depend on stored data, as for posted receipts: the ids must be unique and the store known.
 */
export const addConvertedReceipts = defineCommand(
  {
    name: 'receipt-store.add-converted-receipts',
    summary: 'Store the receipts of a converted packet',
    description:
      'Sent by transform. Reports the outcome of the packet to finish-packet, with the number of the attempt and the mapping. Repeating the command has the same outcome.',
    body: z.object({
      pos_data_id: z.string(),
      attempt: z.number().int(),
      mapping: mappingVersion,
      receipts: z
        .array(z.object({ id: z.string(), part: z.number().int(), receipt: checkedReceipt }))
        .min(1)
        .max(convertedReceiptsMax),
    }),
  },
  { oneWay: () => true },
);
