/**
 * The form of stored receipts. What is stored stays as it was written; a receipt of an earlier form is brought up when it is
 * read, one form after another, so that all other code knows the present form only. `npm run reindex` writes it in that form.
 */

/** A receipt as JSON holds it. */
type Json = Readonly<Record<string, unknown>>;

/** Makes a receipt of one form one of the next form. Pure. */
type Upcast = (receipt: Json) => Json;

interface StoredForm {
  /** JSON. */
  readonly text?: string;
  /** Absent in receipts that were written before forms had numbers: 0. */
  readonly form?: number;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whatever is absent gets the value that says "nothing"; what is there stays, also what nobody documents. */
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

/** From 0 to 1: every key that the interface documents is there. */
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

/** The upcast at `n` leads from form `n` to form `n + 1`. A new form is one more here, with its case in the test. */
const upcasts: readonly Upcast[] = [withEveryKey];

/** The form in which receipts are written now. */
export const receiptForm = upcasts.length;

/**
 * The same document where its receipt has the present form, or that of a later release; else one with the receipt brought up.
 * What has no text, as what is left of a deleted receipt, has no form.
 */
export function inPresentForm<D extends StoredForm>(stored: D): D {
  const { text, form = 0 } = stored;
  if (text === undefined || form >= receiptForm) return stored;
  const receipt = upcasts.slice(form).reduce((earlier, upcast) => upcast(earlier), JSON.parse(text) as Json);
  return { ...stored, text: JSON.stringify(receipt), form: receiptForm };
}
