import { z } from 'zod';

/** The checks of the amounts of a receipt, then those of its fiscal data. */
export const checkCodes = [
  'items_total',
  'payments_total',
  'taxes_total',
  'net_total',
  'item_total',
  'fiscal_signature',
  'fiscal_amounts',
  'fiscal_fields',
] as const;

export type CheckCode = (typeof checkCodes)[number];

export const checkCode = z
  .enum(checkCodes)
  .describe(
    'Which part does not add up: the items and discounts (`items_total`), the payments (`payments_total`), the taxes of the items (`taxes_total`), total and taxes (`net_total`), or quantity, unit price and discounts of an item (`item_total`). ' +
      'Of the fiscal data: the signature or a check sum is wrong (`fiscal_signature`), the signed amounts differ from those of the receipt (`fiscal_amounts`), or a field that the law requires is missing, malformed or contradicts the code (`fiscal_fields`).',
  );

const checkedValue = z.union([z.number(), z.string(), z.null()]);

export const failedCheck = z.object({
  code: checkCode,
  path: z.string().describe('The JSON Pointer of the value that was posted, or of the missing field.'),
  expected: checkedValue.describe(
    'The number that was computed from the others. Of the fiscal data: the value that would agree, or the name of the member that is missing or malformed.',
  ),
  actual: checkedValue.describe(
    'The value that was posted, `null` if it is missing. At most 255 characters of a text.',
  ),
});
