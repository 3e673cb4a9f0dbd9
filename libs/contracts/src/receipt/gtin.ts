import type { ErrorDefinition } from '@receipts/kernel';
import { z } from 'zod';

export const invalidGtin = {
  status: 422,
  code: 'invalid_gtin',
  description: 'a GTIN has 8, 12, 13 or 14 digits, of which the last is the check digit',
} as const satisfies ErrorDefinition;

const pattern = /^(?:\d{8}|\d{12,14})$/;

/** Whether the check digit is correct (GS1 General Specifications, 7.9). */
function isGtin(text: string): boolean {
  if (!pattern.test(text)) return false;
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const weight = (text.length - at) % 2 === 0 ? 3 : 1;
    sum += weight * Number(text[at]);
  }
  return sum % 10 === 0;
}

export const gtin = z
  .string()
  .refine(isGtin, {
    message: invalidGtin.description,
    params: { code: invalidGtin.code, error: invalidGtin },
  })
  .meta({ pattern: pattern.source });
