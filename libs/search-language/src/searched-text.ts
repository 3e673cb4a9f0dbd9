import type { Field } from './fields';
import { mark } from './search-terms';
import { analyse, symbolsOf, tokenText } from './text';

/** A field's text in the form of a search document. */
interface SearchedText {
  /** Its words, and the characters that are not part of words. */
  readonly tokens: readonly string[];
  /** Its words in order, and the symbols between them. */
  readonly phrases: readonly string[];
  /** The field's common symbols that it contains. */
  readonly commonSymbols: string;
}

export function searchedText(field: Field, text: string): SearchedText {
  const { code, commonSymbols: common = '' } = field;
  const { words, symbols } = analyse(text);
  const whole = words.map(tokenText);
  const phrases = symbols.map((symbol) => code + mark.symbol + symbol);
  if (whole.length > 1) phrases.unshift(`${code}${mark.phrase} ${whole.join(' ')} `);
  const tokens = whole.map((word) => code + mark.word + word);
  if (whole.length === 0 && !field.usual && !field.column) tokens.push(code + mark.present);
  let found = '';
  for (const symbol of symbolsOf(symbols.join(''))) {
    if (common.includes(symbol)) found += symbol;
    else tokens.push(code + mark.symbol + symbol);
  }
  return { tokens, phrases, commonSymbols: found };
}

/**
 * The maximum number of texts per generation. A text takes about 500 bytes including its terms; there are two
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

  get(field: Field, text: string): SearchedText {
    if (text.length > textCharactersMax) return searchedText(field, text);
    // The key is unambiguous because codes contain no colon.
    const key = `${field.code}:${text}`;
    const known = this.young.get(key);
    if (known) return known;
    const found = this.old.get(key) ?? searchedText(field, text);
    if (this.young.size >= textsMax) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, found);
    return found;
  }
}
