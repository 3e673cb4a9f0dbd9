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
  shortText,
  uuidV4,
  type KnownMember,
  type KnownMembers,
} from './fields';
import { keyText } from '../shared/names';
import { postedAttachments } from './posted-attachments';
import { postedDiscount, postedItem, postedTax, postedVat } from './posted-item';
import { postedPayment } from './posted-payment';

const nullableText: KnownMember = {
  is: (value) => value === null || typeof value === 'string',
  message: 'must be a string or null',
  openapi: { type: ['string', 'null'] },
};
const text: KnownMember = {
  is: (value) => typeof value === 'string',
  message: wording.string,
  openapi: { type: 'string' },
};
const flag: KnownMember = {
  is: (value) => typeof value === 'boolean',
  message: wording.boolean,
  openapi: { type: 'boolean' },
};

/** The properties of a receipt that the platform uses. All others belong to the retailer. */
const knownReceiptProperties: KnownMembers = {
  email: nullableText,
  email_settings: knownObject({ send: flag, template: text, block: flag }),
  messaging_settings: knownObject({
    sms: knownObject({ send: flag }),
    whatsapp: knownObject({ send: flag }),
  }),
};

export const receiptProperties = freeObject(knownReceiptProperties);

const postedL10n = z.strictObject({
  locale: localeField.nullish(),
  translation_locale: localeField.nullish(),
  timezone: timeZoneField.nullish(),
  currency: currencyField.nullish(),
});

/**
 * A receipt as posted. Optional fields that may be null when returned may also be
 * null here, so that a returned receipt can be posted again.
 */
export const postedReceipt = z.strictObject({
  transaction_id: keyText,
  localtime: dateTime,
  store_reference: z
    .union([keyText, z.int().min(1)], 'must be an integer of at least 1 or a string of 1 to 255 characters')
    .meta({ description: 'The reference of the store, or its external reference.' }),
  total: amount,
  items: z.array(postedItem).min(1).meta({ maxItems: receiptItemsMax }),
  identifier: keyText.nullish(),
  external_id: uuidV4.nullish(),
  duplicate: z.boolean().optional(),
  incomplete: z.boolean().optional(),
  subtotal: amount.nullish(),
  net: amount.nullish(),
  gross: amount.nullish(),
  vat: z.array(postedVat).optional().meta({ deprecated: true }),
  taxes: z.array(postedTax).optional(),
  discounts: z.array(postedDiscount).optional(),
  payments: z.array(postedPayment).optional(),
  till_uuid: shortText.nullish(),
  l10n: postedL10n.optional(),
  store: postedStore.optional(),
  attachments: postedAttachments.optional(),
  properties: receiptProperties.optional(),
  dynamic: freeObject().optional(),
});

export type PostedReceipt = z.output<typeof postedReceipt>;
