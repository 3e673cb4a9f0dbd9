import { analyse, tokenText } from './text';

/** Marks a value that is there without any word, number or exact value to find it by. */
export const presenceMark = '?';

/** A text of a field as a search document holds it. */
interface SearchedText {
  /** Its words; the mark of its presence where it has none. */
  readonly tokens: readonly string[];
  /** Its words in their order, and what stands between them. */
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

/** Two generations of so many texts, of about 500 bytes each with what was made of them. */
const textsMax = 2_000;
const textCharactersMax = 100;

/**
 * Remembers what was made of texts that come often, as cutting a text into words costs more than all else in a search
 * document: what was not asked for during a whole generation is forgotten.
 */
export class RecurringTexts {
  private young = new Map<string, SearchedText>();
  private old = new Map<string, SearchedText>();

  get(code: string, text: string): SearchedText {
    if (text.length > textCharactersMax) return searchedText(code, text);
    // No code has a colon.
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
