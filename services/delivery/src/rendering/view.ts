import { minorDigits, type RetailerSettings, type ReturnedReceipt } from '@receipts/contracts';
import { mapped, renderedAtOnce, type Parts } from './in-parts';
import { labelsOf, labelLanguage, type Labels } from './labels';
import { directionOf, localeOf, nameIn, type Reader } from './locale';
import { clean } from './text';

export interface Line {
  readonly label: string;
  readonly amount: string;
}

export interface ItemView {
  readonly name: string;
  readonly quantity: string;
  /** Shown if the quantity is not one. */
  readonly unitPrice: string | null;
  readonly total: string;
  readonly details: readonly string[];
  readonly discounts: readonly Line[];
  /** The note of a returned item; null if it was not returned. */
  readonly returned: string | null;
}

/** A receipt for display: every text is formatted for one locale. All renderings are generated from it. */
export interface ReceiptView {
  readonly locale: string;
  /** The locale of the receipt itself, in which the till writes names. */
  readonly ownLocale: string;
  /** The language of the labels, if it differs from the locale's. */
  readonly labelLanguage: string;
  readonly direction: 'ltr' | 'rtl';
  readonly labels: Labels;
  readonly brand: {
    readonly name: string;
    readonly logo: string | null;
    readonly colour: string | null;
    readonly header: readonly string[];
    readonly footer: readonly string[];
    readonly links: readonly { readonly name: string; readonly href: string }[];
  };
  readonly store: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly date: string;
  readonly number: string;
  readonly isCopy: boolean;
  readonly isIncomplete: boolean;
  readonly isVoided: boolean;
  readonly items: readonly ItemView[];
  /** Whether items were omitted, because the text would be too long for a mail. */
  readonly hasMoreItems: boolean;
  /** The lines between the items and the total. */
  readonly sums: readonly Line[];
  readonly total: Line;
  /** Summed by name and rate. */
  readonly taxes: readonly Line[];
  readonly payments: readonly (Line & { readonly details: readonly string[] })[];
  readonly attachments: readonly string[];
}

interface Formats {
  readonly money: (amount: number, currency?: string | null) => string;
  readonly quantity: (amount: number) => string;
  readonly percent: (rate: number) => string;
  readonly dateTime: (localtime: string) => string;
}

function formatsOf(locale: string, currency: string): Formats {
  const moneyIn = (code: string) => {
    try {
      const maximumFractionDigits = minorDigits(code);
      return new Intl.NumberFormat(locale, { style: 'currency', currency: code, maximumFractionDigits });
    } catch {
      return new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });
    }
  };
  const own = moneyIn(currency);
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  // The local time of the till, as on the receipt, whatever the reader's time zone is.
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return {
    money: (amount, other) => (other && other !== currency ? moneyIn(other) : own).format(amount),
    quantity: (amount) => quantity.format(amount),
    percent: (rate) => percent.format(rate / 100),
    dateTime: (localtime) => {
      const at = new Date(`${localtime.slice(0, 19)}Z`);
      return Number.isNaN(at.getTime()) ? clean(localtime) : date.format(at);
    },
  };
}

const present = (lines: readonly (string | null | undefined)[]): string[] =>
  lines.map((line) => clean(line ?? '')).filter((line) => line !== '');

const paragraphs = (text: string | null): readonly string[] => present((text ?? '').split(/\r\n|\r|\n/));

function detailsOf(item: ReturnedReceipt['items'][number]): readonly string[] {
  const { details } = item.properties as { details?: unknown };
  const all = Array.isArray(details) ? details : [details];
  return present(all.map((one) => (typeof one === 'string' ? one : null)));
}

function itemView(
  item: ReturnedReceipt['items'][number],
  locale: string,
  formats: Formats,
  labels: Labels,
): ItemView {
  const { quantity, unit_price: price, gross_unit_price: gross, unit } = item;
  const single = gross ?? price ?? (quantity === 0 ? null : item.total / quantity);
  const isOne = quantity === 1 && !unit;
  const showsUnitPrice =
    single !== null && !isOne && (gross !== null || price !== null || item.discounts.length === 0);
  return {
    name: clean(nameIn(item, locale)),
    quantity: `${formats.quantity(quantity)}${unit ? `\u00a0${clean(unit)}` : ''}`,
    unitPrice: showsUnitPrice ? formats.money(single) : null,
    total: formats.money(item.total),
    details: detailsOf(item),
    discounts: item.discounts.map((discount) => ({
      label: clean(discount.name) || labels.discount,
      amount: formats.money(discount.amount),
    })),
    returned: item.return
      ? present([labels.returned, formats.dateTime(item.return.localtime), item.return.reason]).join(' · ')
      : null,
  };
}

interface Tax {
  readonly name: string;
  readonly rate: number | null;
  readonly amount: number;
}

/** The receipt's own taxes; if it has none, those of its items. */
function taxesOf(receipt: ReturnedReceipt): readonly Tax[] {
  if (receipt.taxes.length > 0) return receipt.taxes;
  const named = (vat: { rate: number; amount: number }): Tax => ({ name: '', ...vat });
  if (receipt.vat.length > 0) return receipt.vat.map(named);
  return receipt.items.flatMap((item) =>
    item.taxes.length > 0 ? item.taxes : item.vat ? [named(item.vat)] : [],
  );
}

function taxLines(receipt: ReturnedReceipt, formats: Formats, labels: Labels): readonly Line[] {
  const sums = new Map<string, Tax>();
  for (const tax of taxesOf(receipt)) {
    const name = tax.name === '' || tax.name === 'vat' ? labels.tax : clean(tax.name.replaceAll('_', ' '));
    const key = `${name}\n${tax.rate ?? ''}`;
    sums.set(key, { name, rate: tax.rate, amount: (sums.get(key)?.amount ?? 0) + tax.amount });
  }
  return [...sums.values()].map(({ name, rate, amount }) => ({
    label: rate === null ? name : `${name} ${formats.percent(rate)}`,
    amount: formats.money(amount),
  }));
}

function paymentLabel(method: string, labels: Labels): string {
  const known: Readonly<Record<string, string>> = {
    cash: labels.cash,
    card: labels.card,
    giftcard: labels.giftcard,
  };
  const key = method.toLowerCase();
  return Object.hasOwn(known, key) ? (known[key] as string) : clean(method);
}

function paymentViews(receipt: ReturnedReceipt, formats: Formats, labels: Labels): ReceiptView['payments'] {
  return receipt.payments.map((payment) => {
    const details = { ...payment, ...payment.details };
    const { type, number, change } = details;
    return {
      label: paymentLabel(payment.method, labels),
      amount: formats.money(payment.amount, payment.currency),
      details: present([
        type,
        number ? `•••• ${number}` : null,
        change ? `${labels.change} ${formats.money(change, payment.currency)}` : null,
      ]),
    };
  });
}

function storeLines({ store, retailer }: ReturnedReceipt): readonly string[] {
  const place = present([store.postcode, store.city]).join(' ');
  const lines = present([store.name, ...store.address, place, store.phone]);
  return lines.length > 0 ? lines : present([retailer.name]);
}

function sumLines(receipt: ReturnedReceipt, formats: Formats, labels: Labels): readonly Line[] {
  const { subtotal, net, discounts } = receipt;
  return [
    ...(subtotal === null ? [] : [{ label: labels.subtotal, amount: formats.money(subtotal) }]),
    ...discounts.map(({ name, amount }) => ({
      label: clean(name) || labels.discount,
      amount: formats.money(amount),
    })),
    ...(net === null ? [] : [{ label: labels.net, amount: formats.money(net) }]),
  ];
}

/** How the retailer appears on a page. */
export function brandOf({ brand }: RetailerSettings, retailerName: string): ReceiptView['brand'] {
  return {
    name: clean(brand.name ?? retailerName),
    logo: brand.logo,
    colour: brand.colour,
    header: paragraphs(brand.header),
    footer: paragraphs(brand.footer),
    links: brand.links.map(({ name, href }) => ({ name: clean(name), href })),
  };
}

/** Formats a receipt for one reader. Pure. */
export function* viewInParts(
  receipt: ReturnedReceipt,
  settings: RetailerSettings,
  reader: Reader = {},
): Parts<ReceiptView> {
  const locale = localeOf(receipt, reader, settings.locale);
  const labels = labelsOf(locale);
  const formats = formatsOf(locale, receipt.l10n.currency);
  const date = formats.dateTime(receipt.localtime);
  const number = clean(receipt.transaction_id);
  const facts = [
    { label: labels.number, value: number },
    { label: labels.till, value: clean(receipt.till_uuid ?? '') },
    { label: labels.vatNumber, value: clean(receipt.retailer.vatno ?? '') },
  ];
  return {
    locale,
    ownLocale: localeOf(receipt, {}, settings.locale),
    labelLanguage: labelLanguage(locale),
    direction: directionOf(locale),
    labels,
    brand: brandOf(settings, receipt.retailer.name),
    store: storeLines(receipt),
    facts: facts.filter(({ value }) => value !== ''),
    date,
    number,
    isCopy: receipt.duplicate,
    isIncomplete: receipt.incomplete,
    isVoided: receipt.voided !== null,
    hasMoreItems: false,
    items: yield* mapped(receipt.items, (item) => itemView(item, locale, formats, labels)),
    sums: sumLines(receipt, formats, labels),
    total: { label: labels.total, amount: formats.money(receipt.total) },
    taxes: taxLines(receipt, formats, labels),
    payments: paymentViews(receipt, formats, labels),
    attachments: Object.entries(receipt.attachments).map(([label, { filename }]) => clean(filename ?? label)),
  };
}

/** Formats a receipt without a pause. */
export const viewOf = (...args: Parameters<typeof viewInParts>): ReceiptView =>
  renderedAtOnce(viewInParts(...args));
