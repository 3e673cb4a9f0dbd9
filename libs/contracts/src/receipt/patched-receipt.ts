import { z } from 'zod';
import { postedReturn } from './posted-item';
import { postedReceipt } from './posted-receipt';

const { identifier, incomplete, properties } = postedReceipt.shape;

/** The modifiable fields of a receipt after a patch. Removed fields may be missing. All other fields are unchanged. */
export const patchedReceipt = z.object({
  identifier,
  incomplete,
  properties,
  items: z.array(z.object({ return: postedReturn.nullish() })),
});
