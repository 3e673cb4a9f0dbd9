import { z } from 'zod';
import { exactlyOneOf } from '../shared/exclusive';
import { keyText } from '../shared/names';
import { always } from '../shared/schema-checks';

export const relatedMax = 20;
const relationTypes = ['return', 'exchange', 'correction'] as const;
const names = ['id', 'transaction_id'] as const;

/** Another receipt of the same retailer, which may not exist yet. */
export const postedRelation = z
  .strictObject({
    type: z.enum(relationTypes).describe('How this receipt relates to the other receipt.'),
    id: keyText.optional().describe('The id of the other receipt. Cannot be combined with `transaction_id`.'),
    transaction_id: keyText
      .optional()
      .describe('The transaction id of the other receipt. Cannot be combined with `id`.'),
  })
  .superRefine(exactlyOneOf(names), always)
  .meta({ oneOf: names.map((name) => ({ required: [name] })) });

export const returnedRelation = z.object({
  type: z.enum(relationTypes).describe('How this receipt relates to the other receipt.'),
  id: z.string().nullable().describe('The id of the other receipt; `null` until it is known.'),
  transaction_id: z
    .string()
    .nullable()
    .describe('The transaction id of the other receipt; `null` if its id was posted.'),
});
