import { z } from 'zod';
import { always, isObject } from '../shared/schema-checks';
import { characters } from '../shared/characters';
import { currencyField } from '../shared/fields';
import { cardNumberTooLong, isCardNumber } from './card-number';
import { amount, shortText } from './fields';
import { keyText } from '../shared/key-text';

const fact = characters(1, 64);

/** What the card scheme requires on the receipt of a card payment (EMV). */
const cardFacts = {
  brand: fact.nullish().describe('The brand of the card, such as `Visa`.'),
  entry_mode: z
    .enum(['chip', 'contactless', 'swipe', 'keyed', 'ecommerce'])
    .nullish()
    .describe('How the card was read.'),
  authorization_code: fact.nullish().describe('The code with which the issuer approved the payment.'),
  terminal_id: fact.nullish().describe('The id of the payment terminal.'),
  merchant_id: fact.nullish().describe('The id of the merchant with the acquirer.'),
  aid: z
    .string()
    .regex(/^[0-9A-Fa-f]{10,32}$/)
    .nullish()
    .describe('The application identifier (AID) of the card: 10 to 32 hexadecimal digits.'),
  arqc: fact.nullish().describe('The cryptogram of the payment (ARQC or TC).'),
  cvm: z
    .enum(['pin', 'signature', 'device', 'none'])
    .nullish()
    .describe('How the cardholder was verified; `device` means on their own device.'),
  rrn: fact.nullish().describe('The retrieval reference number of the payment.'),
};

/** Additional fields of a payment. Their meaning depends on the method: card, cash or gift card. */
export const postedPaymentDetails = z.strictObject({
  number: shortText
    .nullish()
    .describe(
      'The last four digits of the card, or the number of the gift card. More than four digits of a card cause 422. A card is recognized by ' +
        '`method`, `brand` and `type`, or by 12 to 19 digits with a correct check digit, except for gift cards, vouchers, store credit ' +
        'and direct debit. Pages, PDFs and messages show only the last four characters.',
    ),
  type: shortText.nullish().describe('The type of the card, such as `VISA`.'),
  issue: shortText.nullish().describe('The issue number of the card.'),
  start: shortText.nullish().describe('The date from which the card is valid.'),
  end: shortText.nullish().describe('The date until which the card is valid.'),
  po_number: shortText.nullish().describe('The number of the purchase order.'),
  change: amount.nullish().describe('The change given to the customer.'),
  rounding: amount.nullish().describe('The amount by which a cash payment was rounded.'),
  expiry: shortText.nullish().describe('The date on which the gift card expires.'),
  balance: amount.nullish().describe('The balance left on the gift card.'),
  ...cardFacts,
});

export const postedPayment = z
  .strictObject({
    method: keyText.describe('The payment method, such as `card`, `cash` or `giftcard`.'),
    amount: amount.describe('The amount paid with this method, in the currency of the payment.'),
    currency: currencyField
      .nullish()
      .describe('The currency of the payment, an ISO 4217 code. Defaults to the currency of the receipt.'),
    tip: amount
      .nullish()
      .describe('How much of `amount` is a tip, which does not count towards the total of the receipt.'),
    ...postedPaymentDetails.shape,
    details: postedPaymentDetails
      .optional()
      .describe('The fields of the payment method. They may be given here or next to `method`.'),
  })
  .superRefine((payment, ctx) => {
    if (!isObject(payment)) return;
    const nested = isObject(payment['details']) ? payment['details'] : {};
    const names = [payment.method, payment.brand, payment.type, nested['brand'], nested['type']];
    const refuse = (path: string[]) =>
      ctx.addIssue({
        code: 'custom',
        path,
        message: cardNumberTooLong.description,
        params: { code: cardNumberTooLong.code, error: cardNumberTooLong },
      });
    if (isCardNumber(payment.number, names)) refuse(['number']);
    if (isCardNumber(nested['number'], names)) refuse(['details', 'number']);
  }, always);

export type PostedPayment = z.output<typeof postedPayment>;
