import Negotiator from 'negotiator';
import { supportedLanguageTag, type PortalLanguage } from '@receipts/contracts';
import { apiText } from './api-text';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import it from './messages/it.json';

/**
 * The texts of the pages. Every language must have every text that English has; otherwise the service does not compile.
 */
export type Messages = Readonly<typeof en>;
export type MessageKey = keyof Messages;
type StemOf<K> = K extends `${infer Stem}.other` ? Stem : never;
/** Keys of texts that have a singular and a plural. */
type CountedKey = StemOf<MessageKey>;
type Values = Readonly<Record<string, string | number>>;

/** The languages, each with its name and with the locale of its dates and numbers if the reader prefers none. */
export const languages = {
  en: { name: 'English', locale: 'en-GB', messages: en },
  fr: { name: 'Français', locale: 'fr-FR', messages: fr },
  de: { name: 'Deutsch', locale: 'de-DE', messages: de },
  es: { name: 'Español', locale: 'es-ES', messages: es },
  it: { name: 'Italiano', locale: 'it-IT', messages: it },
} as const satisfies Record<PortalLanguage, { name: string; locale: string; messages: Messages }>;

/** Texts, dates and amounts for a reader. */
export interface Language {
  readonly code: PortalLanguage;
  readonly t: (key: MessageKey, values?: Values) => string;
  /** A text of the API; unchanged if there is no translation. */
  readonly api: (text: string) => string;
  /** The singular or the plural of a text with `{count}`. */
  readonly plural: (key: CountedKey, count: number) => string;
  readonly number: (value: number) => string;
  readonly money: (currency: string) => (amount: number) => string;
  /** @param date such as `2026-03-14` */
  readonly day: (date: string) => string;
  /** @param time the local time at a till, such as `2026-03-14T12:30:00+01:00` */
  readonly localTime: (time: string) => string;
  /** The same without the year, for tables whose receipts are usually recent. */
  readonly shortTime: (time: string) => string;
  readonly time: (instant: string | Date, timeZone: string, timeStyle?: 'short' | 'medium') => string;
}

function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Figures are never rounded: a receipt may not add up by less than a cent. `Intl` allows 20 digits in Node 20. */
const allDigits = { maximumFractionDigits: 20, signDisplay: 'negative' } as const;

export function languageIn(code: PortalLanguage, locale: string = languages[code].locale): Language {
  const { messages } = languages[code];
  const t = (key: MessageKey, values: Values = {}) => filled(messages[key], values);
  const numbers = new Intl.NumberFormat(locale, allDigits);
  const inUtc = { timeZone: 'UTC', dateStyle: 'medium' } as const;
  // The till's local time, regardless of the reader's time zone. Texts that are not dates are shown unchanged.
  const formatted = (text: string, format: Intl.DateTimeFormat) => {
    const at = new Date(`${text.slice(0, 19)}${text.length > 10 ? 'Z' : ''}`);
    return Number.isNaN(at.getTime()) ? text : format.format(at);
  };
  return {
    code,
    t,
    api: (text) => apiText(text, code),
    plural: (key, count) => {
      const form = new Intl.PluralRules(code).select(count) === 'one' ? 'one' : 'other';
      return t(`${key}.${form}`, { count: numbers.format(count) });
    },
    number: (value) => numbers.format(value),
    money: (currency) => {
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...allDigits });
      return (amount) => format.format(amount);
    },
    day: (date) => formatted(date, new Intl.DateTimeFormat(locale, inUtc)),
    localTime: (time) => formatted(time, new Intl.DateTimeFormat(locale, { ...inUtc, timeStyle: 'short' })),
    shortTime: (time) =>
      formatted(
        time,
        new Intl.DateTimeFormat(locale, {
          timeZone: 'UTC',
          month: 'short',
          day: 'numeric',
          hour: '2-digit',
          minute: '2-digit',
          // A receipt of another year shows it.
          ...(!time.startsWith(`${new Date().getUTCFullYear()}-`) && { year: 'numeric' }),
        }),
      ),
    time: (instant, timeZone, timeStyle = 'short') =>
      new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle }).format(new Date(instant)),
  };
}

/** The key, if there is such a text. */
export const messageKey = (key: string): MessageKey | undefined =>
  Object.hasOwn(en, key) ? (key as MessageKey) : undefined;

const isPortalLanguage = (text: string): text is PortalLanguage => Object.hasOwn(languages, text);

/** The ranges of an `Accept-Language` header (RFC 9110, 12.5.4), most preferred first. */
const acceptedRanges = (header: string): readonly string[] =>
  new Negotiator({ headers: { 'accept-language': header } }).languages();

const codeOf = (tag: string) => tag.split('-')[0] ?? '';

interface Reader {
  /** The language that the reader has chosen. */
  readonly chosen?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  /** The locale of the retailer, for readers who accept none of the languages. */
  readonly retailerLocale?: string | undefined;
}

/** The chosen language, otherwise the first accepted one, otherwise the retailer's, otherwise English. */
export function chooseLanguage({ chosen = '', acceptLanguage = '', retailerLocale = '' }: Reader): Language {
  const tags = [...acceptedRanges(acceptLanguage), retailerLocale].flatMap(
    (tag) => supportedLanguageTag(tag) ?? [],
  );
  const code = [chosen, ...tags.map(codeOf)].find(isPortalLanguage) ?? 'en';
  // A tag without a country does not determine the date format.
  return languageIn(
    code,
    tags.find((tag) => codeOf(tag) === code && tag !== code),
  );
}
