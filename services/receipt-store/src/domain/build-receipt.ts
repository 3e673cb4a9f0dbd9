import {
  plainValues,
  readDateTime,
  receiptTooLarge,
  type PostedItem,
  type PostedReceipt,
  type Retailer,
  type ReturnedAttachment,
  type ReturnedItem,
  type ReturnedReceipt,
  type StoreRecord,
  type StoreSummary,
} from '@receipts/contracts';
import { printExactly, ServiceError } from '@receipts/kernel';
import { withIds } from './related';
import { receiptTime, type ReceiptTime } from './receipt-time';

/** The input of a receipt besides the posted body. */
export interface ReceiptContext {
  readonly id: string;
  /** The stored transaction id. For a duplicate, it differs from the posted id. */
  readonly transactionId: string;
  readonly retailer: Retailer;
  readonly store: StoreRecord | undefined;
  readonly posDataIds: readonly string[];
  readonly attachments: Readonly<Record<string, ReturnedAttachment>>;
  /** The ids of related receipts, by transaction id, if known. */
  readonly relatedIds?: ReadonlyMap<string, string>;
}

type PostedTax = NonNullable<PostedReceipt['taxes']>[number];
type PostedDiscount = NonNullable<PostedReceipt['discounts']>[number];
type PostedVat = NonNullable<PostedReceipt['vat']>[number];
type PostedReturn = NonNullable<PostedItem['return']>;

const unknownStore: StoreSummary = {
  name: null,
  address: [],
  city: null,
  postcode: null,
  country: null,
  phone: null,
  vatno: null,
  company: null,
  properties: {},
};

function summaryOf(store: StoreRecord): StoreSummary {
  const { name, address, city, postcode, country, phone, vatno, company, properties } = store;
  return { name, address, city, postcode, country, phone, vatno, company, properties: properties ?? {} };
}

const taxOf = ({ name, rate, amount, code, properties }: PostedTax) => ({
  name,
  rate: rate ?? null,
  amount,
  code: code ?? null,
  properties: properties ?? {},
});

const vatOf = ({ rate, amount, code }: PostedVat) => ({ rate, amount, code: code ?? null });

const discountOf = ({ name, quantity, amount, percentage, properties }: PostedDiscount) => ({
  name,
  quantity: quantity ?? null,
  amount,
  percentage: percentage ?? null,
  properties: properties ?? {},
});

function timeOf(text: string, zone: () => string): ReceiptTime {
  const written = readDateTime(text);
  if (!written) throw new Error('cannot parse a date and time that passed schema validation');
  return receiptTime(written, zone);
}

/** A return with all its fields, and its time with an offset. */
export const returnOf = ({ localtime, reason, properties }: PostedReturn, zone: () => string) => ({
  localtime: timeOf(localtime, zone).localtime,
  reason: reason ?? null,
  properties: properties ?? {},
});

const orNull = <T>(value: T | null | undefined): T | null => value ?? null;

function itemOf(posted: PostedItem, zone: () => string): ReturnedItem {
  const item: ReturnedItem = {
    name: posted.name,
    quantity: posted.quantity,
    gtin: orNull(posted.gtin),
    lot: orNull(posted.lot),
    serial: orNull(posted.serial),
    unit: orNull(posted.unit),
    total: posted.total,
    net: orNull(posted.net),
    gross: orNull(posted.gross),
    unit_price: orNull(posted.unit_price),
    gross_unit_price: orNull(posted.gross_unit_price),
    net_unit_price: orNull(posted.net_unit_price),
    vat: posted.vat ? vatOf(posted.vat) : null,
    taxes: posted.taxes?.map(taxOf) ?? [],
    discounts: posted.discounts?.map(discountOf) ?? [],
    return: posted.return ? returnOf(posted.return, zone) : null,
    properties: posted.properties ?? {},
    dynamic: posted.dynamic ?? {},
  };
  for (const key of Object.keys(posted)) {
    if (key.startsWith('name:')) item[key as `name:${string}`] = posted[key as `name:${string}`] as string;
  }
  return item;
}

/** Payment details stay where they were posted: flat or inside `details`. Absent details stay absent. */
function paymentOf(
  posted: NonNullable<PostedReceipt['payments']>[number],
): ReturnedReceipt['payments'][number] {
  const { method, amount, currency, tip, ...details } = posted;
  return { method, amount, currency: currency ?? null, tip: tip ?? null, ...details };
}

const fiscalOf = (posted: NonNullable<PostedReceipt['fiscal']>): ReturnedReceipt['fiscal'] => ({
  regime: posted.regime,
  device_id: orNull(posted.device_id),
  number: orNull(posted.number),
  counter: orNull(posted.counter),
  started: orNull(posted.started),
  finished: orNull(posted.finished),
  signature: orNull(posted.signature),
  certificate: orNull(posted.certificate),
  qr: orNull(posted.qr),
  texts: posted.texts ?? [],
});

function l10nOf({ l10n }: PostedReceipt, { store, retailer: { settings } }: ReceiptContext) {
  return {
    locale: l10n?.locale ?? store?.locale ?? settings.locale,
    translation_locale: l10n?.translation_locale ?? null,
    timezone: l10n?.timezone ?? store?.timezone ?? settings.timezone,
    currency: l10n?.currency ?? store?.currency ?? settings.currency,
  };
}

const amountsOf = (posted: PostedReceipt) => ({
  total: posted.total,
  ...plainValues(posted),
  vat: posted.vat?.map(vatOf) ?? [],
  taxes: posted.taxes?.map(taxOf) ?? [],
  discounts: posted.discounts?.map(discountOf) ?? [],
  charges:
    posted.charges?.map(({ name, amount, taxes }) => ({ name, amount, taxes: taxes?.map(taxOf) ?? [] })) ??
    [],
});

function relatedOf({ related = [] }: PostedReceipt, { relatedIds = new Map() }: ReceiptContext) {
  const all = related.map(({ type, id = null, transaction_id = null }) => ({ type, id, transaction_id }));
  return withIds(all, relatedIds);
}

/**
 * Builds the receipt as it is stored and returned. Posted values are neither changed nor rounded. Missing values get
 * defaults: `l10n` from the store, then from the retailer; empty values for the rest.
 * @param posted validated against the schema
 */
export function buildReceipt(posted: PostedReceipt, context: ReceiptContext): ReturnedReceipt {
  const { id, transactionId, retailer, store, posDataIds, attachments } = context;
  const l10n = l10nOf(posted, context);
  const zone = () => l10n.timezone;
  const time = timeOf(posted.localtime, zone);
  return {
    id,
    transaction_id: transactionId,
    external_id: posted.external_id?.toLowerCase() ?? null,
    identifier: posted.identifier ?? null,
    duplicate: posted.duplicate ?? false,
    incomplete: posted.incomplete ?? false,
    voided: null,
    localtime: time.localtime,
    timestamp: time.timestamp,
    store_reference: String(posted.store_reference),
    store: store ? summaryOf(store) : unknownStore,
    retailer: { name: retailer.name, vatno: retailer.vatno },
    ...amountsOf(posted),
    items: posted.items.map((item) => itemOf(item, zone)),
    payments: posted.payments?.map(paymentOf) ?? [],
    l10n,
    fiscal: posted.fiscal ? fiscalOf(posted.fiscal) : null,
    related: relatedOf(posted, context),
    pos_data_ids: [...posDataIds],
    attachments: { ...attachments },
    properties: posted.properties ?? {},
    dynamic: posted.dynamic ?? {},
  };
}

/** A receipt's text, event and search document are stored in one document, and MongoDB limits documents to 16 MiB. */
const textBytesMax = 4 * 1024 * 1024;
/** A UTF-16 code unit takes at most three bytes in UTF-8, so shorter texts need not be measured. */
const unmeasuredLengthMax = textBytesMax / 4;

/**
 * The receipt's JSON as stored.
 * @param sources what its values come from, so that numbers keep digits that a double cannot hold
 * @throws ServiceError 413
 */
export function printReceipt(receipt: ReturnedReceipt, ...sources: readonly unknown[]): string {
  const text = printExactly(receipt, ...sources);
  if (text.length > unmeasuredLengthMax && Buffer.byteLength(text) > textBytesMax) {
    const description = `the stored receipt is larger than ${textBytesMax} bytes`;
    throw new ServiceError(receiptTooLarge, { description });
  }
  return text;
}
