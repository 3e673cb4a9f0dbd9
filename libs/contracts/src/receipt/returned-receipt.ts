import { z } from 'zod';
import { freeObject } from './fields';
import { translations } from './posted-item';
import { receiptProperties } from './posted-receipt';

/**
 * Receipts as returned: every documented key is present. A missing scalar is null, a missing array is empty, a missing
 * free object is `{}`. An item's `return` and `vat` are null if missing, because the presence of `return` marks a
 * returned item.
 */
const number = z.number();
const nullableNumber = number.nullable();
const nullableText = z.string().nullable();

const tax = z.object({
  name: z.string(),
  rate: nullableNumber,
  amount: number,
  code: nullableText,
  properties: freeObject(),
});
const vat = z.object({ rate: number, amount: number, code: nullableText });
const discount = z.object({
  name: z.string(),
  quantity: nullableNumber,
  amount: number,
  percentage: nullableNumber,
  properties: freeObject(),
});

const returnedReturn = z.object({
  localtime: z.string(),
  reason: nullableText,
  properties: freeObject(),
});

const itemFields = z.object({
  name: z.string(),
  quantity: number,
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
  properties: freeObject(),
  dynamic: freeObject(),
});

export type ReturnedItem = z.output<typeof itemFields> & { [alternative: `name:${string}`]: string };

const returnedItem = itemFields.meta({
  patternProperties: translations,
}) as unknown as z.ZodType<ReturnedItem, ReturnedItem>;

const paymentDetails = {
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
};

const returnedPayment = z.object({
  method: z.string(),
  amount: number,
  currency: nullableText,
  ...paymentDetails,
  details: z.object(paymentDetails).optional(),
});

/** The data of a receipt's store at the time of the receipt's arrival. All empty for an unknown store. */
const storeSummary = z.object({
  name: nullableText,
  address: z.array(z.string()),
  city: nullableText,
  postcode: nullableText,
  country: nullableText,
  phone: nullableText,
  properties: z.unknown(),
});

export type StoreSummary = z.output<typeof storeSummary>;

const returnedAttachment = z.object({
  id: z.string(),
  url: z.string(),
  content_type: z.string(),
  filename: nullableText,
  size: z.int(),
});

export type ReturnedAttachment = z.output<typeof returnedAttachment>;

export const returnedReceipt = z.object({
  id: z.string(),
  transaction_id: z.string(),
  external_id: nullableText,
  identifier: nullableText,
  duplicate: z.boolean(),
  incomplete: z.boolean(),
  localtime: z.string(),
  timestamp: z.string(),
  store_reference: z.string(),
  store: storeSummary,
  retailer: z.object({ name: z.string(), vatno: nullableText }),
  till_uuid: nullableText,
  total: number,
  subtotal: nullableNumber,
  net: nullableNumber,
  gross: nullableNumber,
  vat: z.array(vat).meta({ deprecated: true }),
  taxes: z.array(tax),
  discounts: z.array(discount),
  items: z.array(returnedItem),
  payments: z.array(returnedPayment),
  l10n: z.object({
    locale: z.string(),
    translation_locale: nullableText,
    timezone: z.string(),
    currency: z.string(),
  }),
  pos_data_ids: z.array(z.string()),
  attachments: z.record(z.string(), returnedAttachment),
  properties: receiptProperties,
  dynamic: freeObject(),
});

export type ReturnedReceipt = z.output<typeof returnedReceipt>;
