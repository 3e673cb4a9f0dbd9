import { z } from 'zod';
import type { ErrorDefinition } from '@receipts/kernel';
import { always, isObject } from '../shared/schema-checks';
import { currencyField } from '../shared/fields';
import { amount, shortText } from './fields';
import { keyText } from '../shared/names';

/** Additional fields of a payment. Their meaning depends on the method: card, cash or gift card. */
const paymentDetails = {
  number: shortText.nullish(),
  type: shortText.nullish(),
  issue: shortText.nullish(),
  start: shortText.nullish(),
  end: shortText.nullish(),
  po_number: shortText.nullish(),
  change: amount.nullish(),
  rounding: amount.nullish(),
  expiry: shortText.nullish(),
  balance: amount.nullish(),
};

export const cardNumberTooLong = {
  status: 422,
  code: 'card_number_too_long',
  description: 'of a card number only the last four digits may be sent',
} as const satisfies ErrorDefinition;

const cardDigitsMax = 4;

/** Numbers of gift cards are not sensitive, unlike those of other cards. */
function isCard(method: unknown): boolean {
  return typeof method === 'string' && /card/i.test(method) && !/gift/i.test(method);
}

export function hasTooManyDigits(number: unknown): boolean {
  if (typeof number !== 'string' || number.length <= cardDigitsMax) return false;
  let digits = 0;
  for (let at = 0; at < number.length; at++) {
    const character = number.charCodeAt(at);
    if (character >= 0x30 && character <= 0x39 && ++digits > cardDigitsMax) return true;
  }
  return false;
}

export const postedPayment = z
  .strictObject({
    method: keyText,
    amount,
    currency: currencyField.nullish(),
    ...paymentDetails,
    details: z.strictObject(paymentDetails).optional(),
  })
  .superRefine((payment, ctx) => {
    if (!isObject(payment) || !isCard(payment.method)) return;
    const { code, description } = cardNumberTooLong;
    const refuse = (path: string[]) =>
      ctx.addIssue({
        code: 'custom',
        path,
        message: description,
        params: { code, error: cardNumberTooLong },
      });
    if (hasTooManyDigits(payment.number)) refuse(['number']);
    const nested: unknown = payment.details;
    if (isObject(nested) && hasTooManyDigits(nested['number'])) refuse(['details', 'number']);
  }, always);

export type PostedPayment = z.output<typeof postedPayment>;
