/**
 * The form of stored receipts. Stored receipts are not rewritten when the form changes: a receipt of an earlier form is
 * converted when it is read, one form after another, so that all other code handles only the present form. `npm run
 * reindex` rewrites it.
 */

/** A parsed receipt. */
type Json = Readonly<Record<string, unknown>>;

/** Converts a receipt from one form to the next. Pure. */
type Upcast = (receipt: Json) => Json;

interface StoredForm {
  /** JSON. */
  readonly text?: string;
  /** Absent in receipts that were written before forms were numbered: 0. */
  readonly form?: number;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds empty values for absent keys. Existing values stay, including those of undocumented keys. */
const completed = (absent: Json, of: unknown): unknown => (isObject(of) ? { ...absent, ...of } : of);
const eachCompleted = (absent: Json, list: unknown): unknown =>
  Array.isArray(list) ? list.map((one) => completed(absent, one)) : (list ?? []);

const noTax = { rate: null, code: null, properties: {} };
const noVat = { code: null };
const noDiscount = { quantity: null, percentage: null, properties: {} };
const noReturn = { reason: null, properties: {} };
const noStore = {
  ...{ name: null, address: [], city: null, postcode: null, country: null, phone: null },
  properties: {},
};
const noItem = {
  ...{ unit: null, net: null, gross: null, unit_price: null, gross_unit_price: null, net_unit_price: null },
  ...{ vat: null, taxes: [], discounts: [], return: null, properties: {}, dynamic: {} },
};
const noReceipt = {
  ...{ external_id: null, identifier: null, duplicate: false, incomplete: false, till_uuid: null },
  ...{ subtotal: null, net: null, gross: null, vat: [], taxes: [], discounts: [], items: [], payments: [] },
  ...{ pos_data_ids: [], attachments: {}, properties: {}, dynamic: {} },
};

function completedItem(item: unknown): unknown {
  if (!isObject(item)) return item;
  return {
    ...noItem,
    ...item,
    vat: completed(noVat, item['vat'] ?? null),
    taxes: eachCompleted(noTax, item['taxes']),
    discounts: eachCompleted(noDiscount, item['discounts']),
    return: completed(noReturn, item['return'] ?? null),
  };
}

/** From 0 to 1: every documented key exists. */
const withEveryKey: Upcast = (receipt) => ({
  ...noReceipt,
  ...receipt,
  store: completed(noStore, receipt['store'] ?? {}),
  retailer: completed({ vatno: null }, receipt['retailer']),
  vat: eachCompleted(noVat, receipt['vat']),
  taxes: eachCompleted(noTax, receipt['taxes']),
  discounts: eachCompleted(noDiscount, receipt['discounts']),
  items: Array.isArray(receipt['items']) ? receipt['items'].map(completedItem) : [],
  payments: eachCompleted({ currency: null }, receipt['payments']),
  l10n: completed({ translation_locale: null }, receipt['l10n']),
});

/** `upcasts[n]` converts from form `n` to form `n + 1`. A new form is appended here, with a case in the test. */
const upcasts: readonly Upcast[] = [withEveryKey];

/** The form in which receipts are written. */
export const receiptForm = upcasts.length;

/**
 * The same document if its receipt has the present form or a later one; otherwise a copy with the receipt converted.
 * Documents without text, such as deleted receipts, are returned as they are.
 */
export function inPresentForm<D extends StoredForm>(stored: D): D {
  const { text, form = 0 } = stored;
  if (text === undefined || form >= receiptForm) return stored;
  const receipt = upcasts.slice(form).reduce((earlier, upcast) => upcast(earlier), JSON.parse(text) as Json);
  return { ...stored, text: JSON.stringify(receipt), form: receiptForm };
}
