import type { Store } from '@receipts/contracts';
import type { Language } from '../../pages/language';
import { daysQuery, quoted, storeQuery, type Searcher } from './filters';

/** What a word of the search box was taken for. */
export interface Understood {
  readonly text: string;
  readonly meaning: string;
}

export interface SearchText {
  /** Queries in the search language, each of which a receipt must match. */
  readonly queries: readonly string[];
  /** Undefined if the text is a query in the search language, which explains itself. */
  readonly understood: readonly Understood[] | undefined;
}

type KnownStore = Pick<Store, 'reference' | 'name'>;
type Words = Pick<Language, 't' | 'day'>;

/** More words would make a query of too many conditions. */
const wordsMax = 12;
const storesMax = 20;
/** A field of the search language, as in `+items.name:tea`. A word with a colon can be quoted. */
const fieldPattern = /(?:^|\s)[+\-!]?[A-Za-z][\w.-]*:\S/;
const amountPattern = /^[^\d\s-]?(-?\d{1,12})(?:[.,](\d{1,2}))[^\d\s]?$/;
const cardPattern = /^\d{4}$/;
const gtinPattern = /^\d{8,14}$/;
const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const localDate = /^(\d{1,2})[./](\d{1,2})[./](\d{4})$/;
const hasLetters = /[\p{L}\p{N}]/u;

/** The words of a text, and its phrases in quotes. */
const wordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|[^\s"]+/g)]
    .map(([whole, phrase]) => (phrase ?? whole).trim())
    .filter((word) => word !== '')
    .slice(0, wordsMax);

/** The last word may be the beginning of a longer one. */
const prefixOf = (word: string) =>
  hasLetters.test(word)
    ? `${word.replace(/[^\p{L}\p{N}]/gu, (character) => `\\${character}`)}*`
    : quoted(word);

const anyOf = (conditions: readonly string[]) => conditions.join(' OR ');

/** The day of a text such as `2026-03-14`, `14.3.2026` or `14/03/2026`. */
function dayOf(word: string): string | undefined {
  const [, day = '', month = '', year = ''] = localDate.exec(word) ?? [];
  const date = isoDate.test(word) ? word : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isoDate.test(date) && !Number.isNaN(Date.parse(`${date}T00:00:00Z`)) ? date : undefined;
}

function ofWord(word: string, stores: readonly KnownStore[], { t }: Words): Understood & { query: string } {
  const begun = word.toLocaleLowerCase();
  const named = stores.filter(({ name }) =>
    name
      .toLocaleLowerCase()
      .split(/\s+/)
      .some((part) => part.startsWith(begun)),
  );
  const isSpaced = /\s/.test(word);
  const text = isSpaced ? quoted(word) : prefixOf(word);
  const conditions = [
    `items.name:${text}`,
    `transaction_id:${text}`,
    `identifier:${quoted(word)}`,
    `properties.email:${quoted(word)}`,
    ...(gtinPattern.test(word) ? [`items.gtin:${quoted(word)}`] : []),
    ...named.slice(0, storesMax).map(({ reference }) => storeQuery(String(reference))),
  ];
  const [first] = named;
  const meaning = first ? t('understood.wordOrStore', { store: first.name }) : t('understood.word');
  return { text: word, meaning, query: anyOf(conditions) };
}

function understand(
  word: string,
  stores: readonly KnownStore[],
  timeZone: string,
  language: Words,
): Understood & { query: string } {
  const { t, day } = language;
  if (word.includes('@')) {
    const conditions = [`identifier:${quoted(word)}`, `properties.email:${quoted(word)}`];
    return { text: word, meaning: t('understood.customer'), query: anyOf(conditions) };
  }
  const date = dayOf(word);
  const days = date === undefined ? undefined : daysQuery(date, date, timeZone);
  if (date !== undefined && days !== undefined) {
    return { text: word, meaning: t('understood.day', { day: day(date) }), query: days };
  }
  const [, whole, fraction] = amountPattern.exec(word) ?? [];
  if (whole !== undefined && fraction !== undefined) {
    const amount = `${whole}.${fraction}`;
    const conditions = [`total:${amount}`, `items.total:${amount}`];
    return { text: word, meaning: t('understood.amount'), query: anyOf(conditions) };
  }
  const found = ofWord(word, stores, language);
  if (!cardPattern.test(word)) return found;
  const conditions = [found.query, `payments.number:${quoted(word)}`];
  return { text: word, meaning: t('understood.card'), query: anyOf(conditions) };
}

/**
 * Reads the search box: a query in the search language if it names a field, otherwise words, each of which a receipt
 * must contain in one of several places.
 */
export function readSearchText(
  text: string,
  stores: readonly KnownStore[],
  { retailer, language }: Searcher & { readonly language: Words },
): SearchText {
  const trimmed = text.trim();
  if (trimmed === '') return { queries: [], understood: [] };
  const outsideQuotes = trimmed.replace(/(^|\s)"[^"]*"/g, '$1');
  if (fieldPattern.test(outsideQuotes)) return { queries: [trimmed], understood: undefined };
  const words = wordsIn(trimmed).map((word) =>
    understand(word, stores, retailer.settings.timezone, language),
  );
  return {
    queries: words.map(({ query }) => query),
    understood: words.map((word) => ({ text: word.text, meaning: word.meaning })),
  };
}
