import { z } from 'zod';

/** The checks that verify whether a receipt adds up. */
export const checkCodes = [
  'items_total',
  'payments_total',
  'taxes_total',
  'net_total',
  'item_total',
] as const;

export type CheckCode = (typeof checkCodes)[number];

export const checkCode = z
  .enum(checkCodes)
  .describe(
    'Which part does not add up: the items and discounts (`items_total`), the payments (`payments_total`), the taxes of the items (`taxes_total`), total and taxes (`net_total`), or quantity, unit price and discounts of an item (`item_total`).',
  );

export const failedCheck = z.object({
  code: checkCode,
  path: z.string().describe('The JSON Pointer of the number that was posted.'),
  expected: z.number().describe('The number that was computed from the others.'),
  actual: z.number().describe('The number that was posted.'),
});
