import { analyse, tokenText } from './text';

/** Marks a value that exists but has no word, number or exact value. */
export const presenceMark = '?';

/** A field's text in the form of a search document. */
interface SearchedText {
  /** Its words, or the presence mark if it has none. */
  readonly tokens: readonly string[];
  /** Its words in order, and the symbols between them. */
  readonly phrases: readonly string[];
}

/** @param code of the field */
export function searchedText(code: string, text: string): SearchedText {
  const { words, symbols } = analyse(text);
  const whole = words.map(tokenText);
  const phrases = symbols.map((symbol) => `${code}#${symbol}`);
  if (whole.length > 1) phrases.unshift(`${code}| ${whole.join(' ')} `);
  const tokens = whole.length === 0 ? [code + presenceMark] : whole.map((word) => `${code}:${word}`);
  return { tokens, phrases };
}

/**
 * The maximum number of texts per generation. Each takes about 500 bytes including its terms; there are two
 * generations.
 */
const textsMax = 2_000;
const textCharactersMax = 100;

/**
 * Caches the terms of recurring texts, because splitting a text into words is the most expensive part of a search
 * document. Entries that are not used during a whole generation are dropped.
 */
export class RecurringTexts {
  private young = new Map<string, SearchedText>();
  private old = new Map<string, SearchedText>();

  get(code: string, text: string): SearchedText {
    if (text.length > textCharactersMax) return searchedText(code, text);
    // The key is unambiguous because codes contain no colon.
    const key = `${code}:${text}`;
    const known = this.young.get(key);
    if (known) return known;
    const found = this.old.get(key) ?? searchedText(code, text);
    if (this.young.size >= textsMax) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, found);
    return found;
  }
}
