import { z } from 'zod';
import { returnedLike } from '../shared/returned-like';
import { postedStore } from '../admin/store';
import { attachmentView } from '../shared/attachment-view';
import { postedFiscal } from './fiscal';
import {
  postedCharge,
  postedDiscount,
  postedItemFields,
  postedReturn,
  postedTax,
  postedVat,
  translations,
} from './posted-item';
import { returnedPlainFields } from './plain-fields';
import { returnedRelation } from './related';
import { postedPayment, postedPaymentDetails } from './posted-payment';
import { postedL10n, mappedReceipt, receiptProperties } from './posted-receipt';

/**
 * Receipts as returned: every documented key is present. A missing scalar is null, a missing array is empty, a missing
 * free-form object is `{}`. An item's `return` and `vat` are null if missing, because the presence of `return` marks a
 * returned item.
 */
const number = z.number();
const nullableNumber = number.nullable();
const nullableText = z.string().nullable();
const freeObject = z.record(z.string(), z.unknown());

const tax = returnedLike(postedTax, {
  name: z.string(),
  rate: nullableNumber,
  amount: number,
  code: nullableText,
  properties: freeObject,
});
const vat = returnedLike(postedVat, { rate: number, amount: number, code: nullableText });
const discount = returnedLike(postedDiscount, {
  name: z.string(),
  quantity: nullableNumber,
  amount: number,
  percentage: nullableNumber,
  properties: freeObject,
});

const charge = returnedLike(postedCharge, { name: z.string(), amount: number, taxes: z.array(tax) });

const fiscal = returnedLike(postedFiscal, {
  regime: postedFiscal.shape.regime,
  device_id: nullableText,
  number: nullableText,
  counter: z.int().nullable(),
  started: nullableText,
  finished: nullableText,
  signature: nullableText,
  certificate: nullableText,
  qr: nullableText,
  texts: z.array(z.string()),
});

const returnedReturn = returnedLike(postedReturn, {
  localtime: z.string(),
  reason: nullableText,
  properties: freeObject,
});

const itemFields = returnedLike(postedItemFields, {
  name: z.string(),
  quantity: number,
  gtin: nullableText,
  lot: nullableText,
  serial: nullableText,
  unit: nullableText,
  total: number,
  net: nullableNumber,
  gross: nullableNumber,
  unit_price: nullableNumber,
  gross_unit_price: nullableNumber,
  net_unit_price: nullableNumber,
  vat: vat.nullable(),
  taxes: z.array(tax),
  discounts: z.array(discount),
  return: returnedReturn.nullable(),
  properties: freeObject,
  dynamic: freeObject,
});

export type ReturnedItem = z.output<typeof itemFields> & { [alternative: `name:${string}`]: string };

const returnedItem = itemFields.meta({
  patternProperties: translations,
}) as unknown as z.ZodType<ReturnedItem, ReturnedItem>;

const returnedPaymentDetails = returnedLike(postedPaymentDetails, {
  number: nullableText.optional(),
  type: nullableText.optional(),
  issue: nullableText.optional(),
  start: nullableText.optional(),
  end: nullableText.optional(),
  po_number: nullableText.optional(),
  change: nullableNumber.optional(),
  rounding: nullableNumber.optional(),
  expiry: nullableText.optional(),
  balance: nullableNumber.optional(),
  brand: nullableText.optional(),
  entry_mode: nullableText.optional(),
  authorization_code: nullableText.optional(),
  terminal_id: nullableText.optional(),
  merchant_id: nullableText.optional(),
  aid: nullableText.optional(),
  arqc: nullableText.optional(),
  cvm: nullableText.optional(),
  rrn: nullableText.optional(),
});

const returnedPayment = returnedLike(postedPayment, {
  method: z.string(),
  amount: number,
  currency: nullableText,
  tip: nullableNumber,
  ...returnedPaymentDetails.shape,
  details: returnedPaymentDetails.optional(),
});

/**
 * The data of a receipt's store at the time of the receipt's arrival. All fields are null or empty if the store is
 * unknown.
 */
const storeSummary = returnedLike(postedStore, {
  name: nullableText,
  address: z.array(z.string()),
  city: nullableText,
  postcode: nullableText,
  country: nullableText,
  phone: nullableText,
  vatno: nullableText,
  company: nullableText,
  properties: z.unknown(),
});

export type StoreSummary = z.output<typeof storeSummary>;

const returnedAttachment = returnedLike(attachmentView, {
  id: z.string(),
  url: z.string(),
  content_type: z.string(),
  filename: nullableText,
  size: z.int(),
});

export type ReturnedAttachment = z.output<typeof returnedAttachment>;

const retailer = z.object({
  name: z.string().describe('The name of the retailer.'),
  vatno: nullableText.describe('The VAT number of the retailer.'),
});

const returnedL10n = returnedLike(postedL10n, {
  locale: z.string(),
  translation_locale: nullableText,
  timezone: z.string(),
  currency: z.string(),
});

const voided = z.object({
  timestamp: z.string().describe('When the receipt was voided, ISO 8601 in UTC with the offset `+00:00`.'),
  reason: nullableText.describe('Why the receipt was voided.'),
  transaction_id: nullableText.describe('Your own number for the void.'),
});

export const returnedReceipt = returnedLike(mappedReceipt, {
  id: z.string().describe('The id of the receipt: 24 hexadecimal digits.'),
  transaction_id: z.string(),
  external_id: nullableText,
  identifier: nullableText,
  duplicate: z
    .boolean()
    .describe(
      'Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes.',
    ),
  incomplete: z.boolean().describe('Whether parts of the receipt are missing.'),
  voided: voided
    .nullable()
    .describe(
      'When and why the receipt was voided; `null` if it was not. A voided receipt is excluded from summaries, totals and loyalty programmes.',
    ),
  localtime: z
    .string()
    .describe('When the sale took place, in local time with its offset from UTC, ISO 8601.'),
  timestamp: z.string().describe('When the sale took place, ISO 8601 in UTC with the offset `+00:00`.'),
  store_reference: z.string().describe('The reference of the store, as posted.'),
  store: storeSummary.describe(
    'The store as it was when the receipt arrived. Its members are `null` or empty if the store was unknown.',
  ),
  retailer: retailer.describe('The retailer as it was when the receipt arrived.'),
  total: number,
  ...returnedPlainFields,
  vat: z
    .array(vat)
    .meta({ deprecated: true, description: 'The value-added tax by rate. Deprecated: use `taxes`.' }),
  taxes: z.array(tax),
  discounts: z.array(discount),
  charges: z.array(charge),
  items: z.array(returnedItem),
  payments: z.array(returnedPayment),
  l10n: returnedL10n.describe(
    'Language, time zone and currency of the receipt, with missing values filled in.',
  ),
  fiscal: fiscal.nullable(),
  related: z.array(returnedRelation),
  pos_data_ids: z
    .array(z.string())
    .describe(
      'The ids of the raw receipts from which the receipt was converted; empty if it was posted as JSON.',
    ),
  attachments: z.record(z.string(), returnedAttachment).describe('The files of the receipt, by label.'),
  properties: receiptProperties,
  dynamic: freeObject,
});

export type ReturnedReceipt = z.output<typeof returnedReceipt>;
