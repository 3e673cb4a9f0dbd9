import { wording } from '@receipts/kernel';
import { z } from 'zod';
import { currencyField, localeField, timeZoneField } from '../shared/fields';
import { postedStore } from '../admin/store';
import { receiptItemsMax } from './bounds';
import {
  amount,
  dateTime,
  freeObject,
  knownObject,
  uuidV4,
  type KnownMember,
  type KnownMembers,
} from './fields';
import { identifierText, keyText } from '../shared/key-text';
import { postedAttachments } from './posted-attachments';
import { postedFiscal } from './fiscal';
import { chargesMax, postedCharge, postedDiscount, postedItem, postedTax, postedVat } from './posted-item';
import { postedRelation, relatedMax } from './related';
import { postedPayment } from './posted-payment';
import { plainFields } from './plain-fields';

const nullableText = (description: string): KnownMember => ({
  is: (value) => value === null || typeof value === 'string',
  message: 'must be a string or null',
  openapi: { type: ['string', 'null'], description },
});
const text = (description: string): KnownMember => ({
  is: (value) => typeof value === 'string',
  message: wording.string,
  openapi: { type: 'string', description },
});
const flag = (description: string): KnownMember => ({
  is: (value) => typeof value === 'boolean',
  message: wording.boolean,
  openapi: { type: 'boolean', description },
});

/** The properties of a receipt that the platform uses. All others belong to the retailer. */
const knownReceiptProperties: KnownMembers = {
  email: nullableText('The e-mail address to which the receipt is sent.'),
  email_settings: knownObject('Whether this receipt is sent by e-mail on arrival.', {
    send: flag('Whether to send the receipt by e-mail. Defaults to the retailer setting `auto_send`.'),
    template: text('The name of an e-mail template. It is stored but has no effect.'),
    block: flag('Whether to always suppress the e-mail.'),
  }),
  messaging_settings: knownObject('The messaging channels over which this receipt is sent on arrival.', {
    sms: knownObject('Settings for sending this receipt by SMS.', {
      send: flag('Whether to send the receipt by SMS. Defaults to `false`.'),
    }),
    whatsapp: knownObject('Settings for sending this receipt over WhatsApp.', {
      send: flag('Whether to send the receipt over WhatsApp. Defaults to `false`.'),
    }),
  }),
};

export const receiptProperties = freeObject(
  'Other data about the receipt. Free-form, except for the members listed here.',
  knownReceiptProperties,
);

export const postedL10n = z.strictObject({
  locale: localeField.nullish().describe('The language and region of the receipt, such as `en_GB`.'),
  translation_locale: localeField
    .nullish()
    .describe('The language in which translated item names are shown, such as `de_AT`.'),
  timezone: timeZoneField
    .nullish()
    .describe('The time zone of the receipt, an IANA name such as `Europe/Paris`.'),
  currency: currencyField.nullish().describe('The currency of the receipt, an ISO 4217 code such as `EUR`.'),
});

export const storeReferenceField = z.union(
  [keyText, z.int().min(1)],
  'must be an integer of at least 1 or a string of 1 to 255 characters',
);

/**
 * A receipt as a mapping returns it. Optional fields that may be null when returned may also be
 * null here, so that a returned receipt can be posted again.
 */
export const mappedReceipt = z.strictObject({
  transaction_id: keyText.describe('Your own number for the sale, unique per retailer.'),
  localtime: dateTime.describe(
    'When the sale took place, ISO 8601. Without an offset, or with `Z`, the time zone of `l10n`, of the store or of the retailer applies, in this order; any other offset, `+00:00` included, is kept.',
  ),
  store_reference: storeReferenceField.describe(
    'The store of the sale: its `reference` or its `external_reference`.',
  ),
  total: amount.describe('The total of the receipt, in its currency.'),
  items: z.array(postedItem).min(1).meta({
    maxItems: receiptItemsMax,
    description: 'The items sold or returned, in the order in which they appear on the printed receipt.',
  }),
  identifier: identifierText
    .nullish()
    .describe(
      'The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`.',
    ),
  external_id: uuidV4
    .nullish()
    .describe('A UUIDv4 of your choice, unique per retailer. It is stored in lower case.'),
  duplicate: z
    .boolean()
    .optional()
    .describe(
      'Whether this is another copy of a receipt. A copy receives its own `transaction_id` and counts ' +
        'neither in statistics nor in loyalty programmes. Defaults to `false`.',
    ),
  incomplete: z
    .boolean()
    .optional()
    .describe('Whether parts of the receipt are missing. Defaults to `false`.'),
  ...plainFields,
  vat: z
    .array(postedVat)
    .optional()
    .meta({ deprecated: true, description: 'The value-added tax by rate. Deprecated: use `taxes`.' }),
  taxes: z.array(postedTax).optional().describe('The taxes on the whole receipt.'),
  discounts: z.array(postedDiscount).optional().describe('The discounts on the whole receipt.'),
  charges: z
    .array(postedCharge)
    .max(chargesMax)
    .optional()
    .describe('Charges on the whole receipt that are not items: service, delivery, deposits or rounding.'),
  payments: z.array(postedPayment).optional().describe('How the receipt was paid, one entry per payment.'),
  l10n: postedL10n
    .optional()
    .describe(
      'Language, time zone and currency of the receipt. Missing values are taken from the store, then from the retailer.',
    ),
  store: postedStore
    .optional()
    .describe(
      'The store, which is created or updated. Rejected unless the retailer setting `stores.from_receipt` is on.',
    ),
  fiscal: postedFiscal.nullish().describe('What the fiscal device of the till has signed.'),
  related: z
    .array(postedRelation)
    .max(relatedMax)
    .optional()
    .describe('The receipts that this one returns, exchanges or corrects.'),
  attachments: postedAttachments.optional(),
  properties: receiptProperties.optional(),
  dynamic: freeObject(
    'Fields that you define. Those in the retailer setting `dynamic_fields.receipt` can be searched.',
  ).optional(),
});

/** A receipt as posted. A mapping cannot choose the link. */
export const postedReceipt = mappedReceipt.extend({
  link: z
    .string()
    .nullish()
    .describe(
      'A link from `POST /receipts/_link`. Its page then shows this receipt. A link can be used once and is not returned.',
    ),
});

export type PostedReceipt = z.output<typeof postedReceipt>;
