import { z } from 'zod';
import type { ErrorDefinition } from '@receipts/kernel';
import { always, isObject } from '../shared/schema-checks';
import { currencyField } from '../shared/fields';
import { amount, shortText } from './fields';
import { keyText } from '../shared/key-text';

/** Additional fields of a payment. Their meaning depends on the method: card, cash or gift card. */
export const postedPaymentDetails = z.strictObject({
  number: shortText.nullish().describe('The last four digits of the card, or the number of the gift card.'),
  type: shortText.nullish().describe('The type of the card, such as `VISA`.'),
  issue: shortText.nullish().describe('The issue number of the card.'),
  start: shortText.nullish().describe('The date from which the card is valid.'),
  end: shortText.nullish().describe('The date until which the card is valid.'),
  po_number: shortText.nullish().describe('The number of the purchase order.'),
  change: amount.nullish().describe('The change given to the customer.'),
  rounding: amount.nullish().describe('The amount by which a cash payment was rounded.'),
  expiry: shortText.nullish().describe('The date on which the gift card expires.'),
  balance: amount.nullish().describe('The balance left on the gift card.'),
});

export const cardNumberTooLong = {
  status: 422,
  code: 'card_number_too_long',
  description: 'only the last four digits of a card number may be sent',
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
    method: keyText.describe('The payment method, such as `card`, `cash` or `giftcard`.'),
    amount: amount.describe('The amount paid with this method, in the currency of the payment.'),
    currency: currencyField
      .nullish()
      .describe('The currency of the payment, an ISO 4217 code. Defaults to the currency of the receipt.'),
    ...postedPaymentDetails.shape,
    details: postedPaymentDetails
      .optional()
      .describe('The fields of the payment method. They may be given here or next to `method`.'),
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
