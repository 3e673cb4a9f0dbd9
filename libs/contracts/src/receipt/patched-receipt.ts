import { z } from 'zod';
import { postedReturn } from './posted-item';
import { mappedReceipt } from './posted-receipt';

const { identifier, incomplete, properties } = mappedReceipt.shape;

/** The modifiable fields of a receipt after a patch. Removed fields may be missing. All other fields are unchanged. */
export const patchedReceipt = z.object({
  identifier,
  incomplete,
  properties,
  items: z.array(z.object({ return: postedReturn.nullish() })),
});
