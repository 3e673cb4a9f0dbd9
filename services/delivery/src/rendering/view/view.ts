import type { GiftReceipt, RetailerSettings, ReturnedReceipt } from '@receipts/contracts';
import { formatsOf, type Formats } from './formats';
import { mapped, renderedAtOnce, type Steps } from '../in-steps';
import { labelsOf, labelLanguage, type Labels } from '../labels/labels';
import { directionOf, localeOf, nameIn, type Reader } from '../labels/locale';
import { phoneHref } from './phone-href';
import { taxLettersOf, taxSums, type TaxSum } from './taxes';
import type { Line } from './line';
import { paymentViews, type PaymentView } from './payment-view';
import { clean, present } from './text';

export interface ItemView {
  readonly name: string;
  /** Quantity and unit price, such as `2 × €24.99`; null for a single piece. */
  readonly amounts: string | null;
  readonly total: string;
  readonly details: readonly string[];
  readonly discounts: readonly Line[];
  /** The note of a returned item; null if it was not returned. */
  readonly returned: string | null;
}

/** A line of a store's address, with its link to a map or a phone call. */
export interface StoreLine {
  readonly text: string;
  readonly href: string | null;
}

/** What the law requires from the fiscal device of the till. */
export interface FiscalView {
  readonly texts: readonly string[];
  /** The exact content of the code; null if there is none. */
  readonly code: string | null;
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
  readonly store: readonly StoreLine[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Date and time. */
  readonly date: string;
  /** The date without the year, as in e-mail subjects. */
  readonly day: string;
  readonly number: string;
  readonly isCopy: boolean;
  readonly isIncomplete: boolean;
  readonly isVoided: boolean;
  readonly items: readonly ItemView[];
  /** Whether items were omitted, because the text would be too long for an e-mail. */
  readonly hasMoreItems: boolean;
  /** The lines between the items and the total. */
  readonly sums: readonly Line[];
  readonly total: Line;
  /** Summed by name and rate. */
  readonly taxes: readonly Line[];
  readonly payments: readonly PaymentView[];
  readonly fiscal: FiscalView;
  readonly attachments: readonly { readonly label: string; readonly name: string }[];
}

export const paragraphs = (text: string | null): readonly string[] =>
  present((text ?? '').split(/\r\n|\r|\n/));

function detailsOf(item: ReturnedReceipt['items'][number]): readonly string[] {
  const { details } = item.properties as { details?: unknown };
  const all = Array.isArray(details) ? details : [details];
  return present(all.map((one) => (typeof one === 'string' ? one : null)));
}

const identifiersOf = ({ gtin, lot, serial }: ReturnedReceipt['items'][number], labels: Labels) =>
  present([gtin && `GTIN ${gtin}`, lot && `${labels.lot} ${lot}`, serial && `${labels.serial} ${serial}`]);

interface ItemContext {
  readonly locale: string;
  readonly formats: Formats;
  readonly labels: Labels;
  readonly lettersOf: (item: ReturnedReceipt['items'][number]) => string;
}

/** Such as `0.5 kg × €3.20`, or `Quantity 3` if the price is unknown. */
function amountsOf(
  { quantity, unit_price: price, gross_unit_price: gross, unit }: ReturnedReceipt['items'][number],
  { formats, labels }: ItemContext,
): string | null {
  if (quantity === 1 && !unit) return null;
  const text = formats.quantity(quantity);
  // Values that were not sent are not computed, because discounts and rounding would make them wrong.
  const single = gross ?? price;
  const amount = unit ? `${text}\u00a0${clean(unit)}` : text;
  if (single !== null) return `${amount} × ${formats.money(single)}`;
  return unit ? amount : `${labels.quantity}\u00a0${text}`;
}

function itemView(item: ReturnedReceipt['items'][number], context: ItemContext): ItemView {
  const { locale, formats, labels, lettersOf } = context;
  const total = formats.money(item.total);
  const letters = lettersOf(item);
  return {
    name: clean(nameIn(item, locale)),
    amounts: amountsOf(item, context),
    total: letters === '' ? total : `${total}\u00a0${letters}`,
    details: [...detailsOf(item), ...identifiersOf(item, labels)],
    discounts: item.discounts.map((discount) => ({
      label: clean(discount.name) || labels.discount,
      amount: formats.money(discount.amount),
    })),
    returned: item.return
      ? present([labels.returned, formats.dateTime(item.return.localtime), item.return.reason]).join(' · ')
      : null,
  };
}

function taxLines(sums: readonly TaxSum[], formats: Formats, labels: Labels): Steps<readonly Line[]> {
  return mapped(sums, ({ name, rate, letter, base, amount }) => {
    const kind = name || labels.tax;
    const parts = [
      rate === null ? kind : `${kind} ${formats.percent(rate)}`,
      letter,
      base === null ? null : `${labels.net} ${formats.money(base)}`,
    ];
    return { label: parts.filter((part) => part !== null).join(' · '), amount: formats.money(amount) };
  });
}

const mapOf = (address: readonly string[]) =>
  `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address.join(', '))}`;

export function storeLines({
  store,
  retailer,
}: Pick<GiftReceipt, 'store' | 'retailer'>): readonly StoreLine[] {
  const place = present([store.postcode, store.city]).join(' ');
  const address = present([...store.address, place]);
  const [phone] = present([store.phone]);
  const lines = [
    ...present([store.name, store.company]).map((text) => ({ text, href: null })),
    ...address.map((text) => ({ text, href: mapOf(present([store.name, ...address])) })),
    ...(phone === undefined ? [] : [{ text: phone, href: phoneHref(phone) }]),
  ];
  return lines.length > 0 ? lines : present([retailer.name]).map((text) => ({ text, href: null }));
}

function* sumLines(receipt: ReturnedReceipt, formats: Formats, labels: Labels): Steps<readonly Line[]> {
  const { subtotal, net, discounts, charges } = receipt;
  return [
    ...(subtotal === null ? [] : [{ label: labels.subtotal, amount: formats.money(subtotal) }]),
    ...(yield* mapped(discounts, ({ name, amount }) => ({
      label: clean(name) || labels.discount,
      amount: formats.money(amount),
    }))),
    ...charges.map(({ name, amount }) => ({ label: clean(name), amount: formats.money(amount) })),
    ...(net === null ? [] : [{ label: labels.net, amount: formats.money(net) }]),
  ];
}

/** The texts of the longest tag that begins the locale (RFC 4647, 3.4): `zh-Hant` for `zh-Hant-TW`. */
function translationFor<T>(locale: string, translations: Readonly<Record<string, T>>): T | undefined {
  const subtags = locale.split('-');
  const tags = subtags.map((_subtag, at) => subtags.slice(0, subtags.length - at).join('-'));
  const tag = tags.find((known) => Object.hasOwn(translations, known));
  return tag === undefined ? undefined : translations[tag];
}

/** How the retailer appears on a page in a locale. */
export function brandOf(
  { brand }: RetailerSettings,
  retailerName: string,
  locale: string,
): ReceiptView['brand'] {
  const translation = translationFor(locale, brand.translations);
  const links = translation?.links ?? brand.links;
  return {
    name: clean(brand.name ?? retailerName),
    logo: brand.logo,
    colour: brand.colour,
    header: paragraphs(translation?.header ?? brand.header),
    footer: paragraphs(translation?.footer ?? brand.footer),
    links: links.map(({ name, href }) => ({ name: clean(name), href })),
  };
}

/** Formats a receipt for one reader. Pure. */
export function* viewInSteps(
  receipt: ReturnedReceipt,
  settings: RetailerSettings,
  reader: Reader = {},
): Steps<ReceiptView> {
  const locale = localeOf(receipt, reader, settings.locale);
  const labels = labelsOf(locale);
  const formats = formatsOf(locale, receipt.l10n.currency);
  const taxes = taxSums(receipt);
  const context = { locale, formats, labels, lettersOf: taxLettersOf(taxes) };
  const date = formats.dateTime(receipt.localtime);
  const number = clean(receipt.transaction_id);
  const facts = [
    { label: labels.number, value: number },
    { label: labels.till, value: clean(receipt.till_uuid ?? '') },
    { label: labels.vatNumber, value: clean(receipt.store.vatno ?? receipt.retailer.vatno ?? '') },
  ];
  return {
    locale,
    ownLocale: localeOf(receipt, {}, settings.locale),
    labelLanguage: labelLanguage(locale),
    direction: directionOf(locale),
    labels,
    brand: brandOf(settings, receipt.store.company ?? receipt.retailer.name, locale),
    store: storeLines(receipt),
    facts: facts.filter(({ value }) => value !== ''),
    date,
    day: formats.day(receipt.localtime),
    number,
    isCopy: receipt.duplicate,
    isIncomplete: receipt.incomplete,
    isVoided: receipt.voided !== null,
    hasMoreItems: false,
    items: yield* mapped(receipt.items, (item) => itemView(item, context)),
    sums: yield* sumLines(receipt, formats, labels),
    total: { label: labels.total, amount: formats.money(receipt.total) },
    taxes: yield* taxLines(taxes, formats, labels),
    payments: yield* paymentViews(receipt, formats, labels),
    fiscal: { texts: present(receipt.fiscal?.texts ?? []), code: receipt.fiscal?.qr ?? null },
    attachments: Object.entries(receipt.attachments).map(([label, { filename }]) => ({
      label,
      name: clean(filename ?? label),
    })),
  };
}

/** Formats a receipt without yielding to other work. */
export const viewOf = (...args: Parameters<typeof viewInSteps>): ReceiptView =>
  renderedAtOnce(viewInSteps(...args));
