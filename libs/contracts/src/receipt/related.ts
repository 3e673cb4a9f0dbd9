import { z } from 'zod';
import { exactlyOneOf } from '../shared/exclusive';
import { keyText } from '../shared/key-text';
import { always } from '../shared/schema-checks';

export const relatedMax = 20;
const relationTypes = ['return', 'exchange', 'correction'] as const;
const names = ['id', 'transaction_id'] as const;

/** Another receipt of the same retailer, which may not exist yet. */
export const postedRelation = z
  .strictObject({
    type: z.enum(relationTypes).describe('How this receipt relates to the other receipt.'),
    id: keyText
      .nullish()
      .describe('The id of the other receipt. Exactly one of `id` and `transaction_id` must be given.'),
    transaction_id: keyText
      .nullish()
      .describe('The transaction id of the other receipt; needed if `id` is not given.'),
  })
  .superRefine(exactlyOneOf(names, { nullable: true }), always);

export const returnedRelation = z.object({
  type: z.enum(relationTypes).describe('How this receipt relates to the other receipt.'),
  id: z.string().nullable().describe('The id of the other receipt; `null` until it is known.'),
  transaction_id: z
    .string()
    .nullable()
    .describe('The transaction id of the other receipt; `null` if its id was posted.'),
});
