import { supportedLanguageTag, type GiftReceipt } from '@receipts/contracts';
import Negotiator from 'negotiator';
import { hasLabels } from './labels';

const fallback = 'en-GB';
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'he', 'fa', 'ur', 'yi', 'ps', 'sd', 'ug', 'dv']);

/** The ranges of an `Accept-Language` header (RFC 9110, 12.5.4), most preferred first. */
function acceptedRanges(header: string): readonly string[] {
  const negotiator = new Negotiator({ headers: { 'accept-language': header } });
  return negotiator.languages().filter((range) => range !== '*');
}

/** What the locale of a receipt depends on. */
type Localized = Pick<GiftReceipt, 'items' | 'l10n'>;

/** The language tags of a receipt's translated item names. */
function translationsOf(receipt: Localized): readonly string[] {
  const tags = receipt.items.flatMap((item) =>
    Object.keys(item).flatMap((key) => (key.startsWith('name:') ? [key.slice('name:'.length)] : [])),
  );
  return [...new Set(tags)];
}

const primarySubtag = (tag: string) => tag.split(/[-_]/)[0]?.toLowerCase();

/** The existing translation that a reader prefers most. */
function acceptedTranslation(receipt: Localized, header: string): string | undefined {
  const [exact, related] = [new Map<string, string>(), new Map<string | undefined, string>()];
  for (const tag of translationsOf(receipt).toReversed()) {
    exact.set(tag.replaceAll('_', '-').toLowerCase(), tag);
    related.set(primarySubtag(tag), tag);
  }
  for (const range of acceptedRanges(header)) {
    const found = exact.get(range.toLowerCase()) ?? related.get(primarySubtag(range));
    if (found !== undefined) return supportedLanguageTag(found);
  }
  return undefined;
}

export interface Reader {
  /** `?lang=` of the request. */
  readonly lang?: string | undefined;
  readonly acceptLanguage?: string | undefined;
}

/**
 * A language without a region gets the receipt's region, if the receipt has the same language in the same script: the
 * English of a British receipt has British dates.
 */
function inRegionOf(tag: string, { l10n }: Localized): string {
  const own = supportedLanguageTag(l10n.locale);
  if (own === undefined || new Intl.Locale(tag).region !== undefined) return tag;
  const [requested, receipts] = [tag, own].map((one) => new Intl.Locale(one).maximize());
  const isSame = requested?.language === receipts?.language && requested?.script === receipts?.script;
  return isSame ? own : tag;
}

/** The locale of a rendering: the requested one, otherwise that of the receipt, of its store or of its retailer. */
export function localeOf(receipt: Localized, reader: Reader, retailerLocale: string): string {
  const requested = supportedLanguageTag(reader.lang);
  if (requested !== undefined) return inRegionOf(requested, receipt);
  return (
    acceptedTranslation(receipt, reader.acceptLanguage ?? '') ??
    supportedLanguageTag(receipt.l10n.translation_locale) ??
    supportedLanguageTag(receipt.l10n.locale) ??
    supportedLanguageTag(retailerLocale) ??
    fallback
  );
}

/**
 * The locale of a page that shows only labels: the first with labels among the requested, the accepted and the
 * retailer's locale.
 */
export function labelLocale({ lang, acceptLanguage = '' }: Reader, retailerLocale: string): string {
  const tags = [lang, ...acceptedRanges(acceptLanguage), retailerLocale];
  return tags.flatMap((tag) => supportedLanguageTag(tag) ?? []).find(hasLabels) ?? fallback;
}

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.has(primarySubtag(locale) ?? '') ? 'rtl' : 'ltr';
}

/** The name of an item in a locale: `de_AT`, then `de`, then any German translation, then the posted name. */
export function nameIn(
  item: Omit<GiftReceipt['items'][number], 'quantity' | 'unit'>,
  locale: string,
): string {
  const tag = locale.replaceAll('-', '_');
  const language = primarySubtag(locale) ?? '';
  const own = item[`name:${tag}`] ?? item[`name:${language}`];
  if (own !== undefined) return own;
  const related = Object.entries(item).find(
    ([key]) => key.startsWith('name:') && primarySubtag(key.slice('name:'.length)) === language,
  );
  return typeof related?.[1] === 'string' ? related[1] : item.name;
}
