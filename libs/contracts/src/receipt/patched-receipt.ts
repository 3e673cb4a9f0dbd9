import { z } from 'zod';
import { postedReturn } from './posted-item';
import { postedReceipt } from './posted-receipt';

const { identifier, incomplete, properties } = postedReceipt.shape;

/**
 * What may have become of a receipt's modifiable fields after a patch; the others are as they were. A field that was
 * removed may be missing.
 */
export const patchedReceipt = z.object({
  identifier,
  incomplete,
  properties,
  items: z.array(z.object({ return: postedReturn.nullish() })),
});
