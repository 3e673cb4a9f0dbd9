import { createHash } from 'node:crypto';

/** Only the beginning of a text is searched, in order to limit the size of the index. */
export const textCharactersMax = 10_000;

/** Words and exact values up to this length are indexed unchanged. */
const tokenCharactersMax = 200;

/** Longer values are truncated to this length, which is therefore also the maximum length of a searched prefix. */
export const prefixCharactersMax = 160;

/** Whitespace is never part of a word, so it is permitted here. */
const ascii = /^[!-~\s]*$/;
const marks = /\p{M}+/gu;
const asciiWords = /[a-z0-9]+/g;
const anyWords = /[\p{L}\p{N}]+/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Folds a text for comparison: NFKD without marks, in lower case. */
function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  // Lower-casing may create new marks, and depends on the position of a sigma, so both are normalized afterwards.
  return text.normalize('NFKD').replace(marks, '').toLowerCase().replace(marks, '').replace(/ς/g, 'σ');
}

/** The searchable parts of a text. */
export interface AnalysedText {
  /** The words in order. Scripts without spaces are segmented with a dictionary. */
  readonly words: readonly string[];
  /** The trimmed sequences of other characters between words, such as `*`, excluding blank sequences. */
  readonly symbols: readonly string[];
}

export function analyse(text: string): AnalysedText {
  const searched = cut(text);
  const { words, symbols } = split(fold(searched));
  return { words: unspaced.test(searched) ? segmentedWords(searched) : words, symbols };
}

/** The cost of segmenting a character of a script without spaces, relative to other characters. */
const unspacedCost = 64;

/** The cost of analysing a text, in characters of a script with spaces. */
export function analysisCost(text: string): number {
  const length = Math.min(text.length, textCharactersMax);
  return !ascii.test(text) && unspaced.test(text) ? length * unspacedCost : length;
}

export const wordsOf = (text: string): readonly string[] => analyse(text).words;

function split(folded: string): { words: string[]; symbols: string[] } {
  const words: string[] = [];
  const symbols: string[] = [];
  let end = 0;
  for (const match of folded.matchAll(ascii.test(folded) ? asciiWords : anyWords)) {
    if (match.index > end) addSymbol(folded.slice(end, match.index), symbols);
    words.push(match[0]);
    end = match.index + match[0].length;
  }
  if (end < folded.length) addSymbol(folded.slice(end), symbols);
  return { words, symbols };
}

function addSymbol(gap: string, symbols: string[]): void {
  if (gap === ' ') return;
  const symbol = gap.replace(/\s+/g, ' ').trim();
  if (symbol !== '') symbols.push(symbol);
}

/** The dictionary contains unfolded words, so segmentation comes before folding. */
function segmentedWords(text: string): string[] {
  const words: string[] = [];
  for (const { segment } of segmenter.segment(text)) words.push(...(fold(segment).match(anyWords) ?? []));
  return words;
}

/** The distinct characters of a text without words, except blanks. */
export const symbolsOf = (text: string): readonly string[] => [...new Set(text.replace(/\s/g, ''))];

/** The whole text as used by tests for literal substrings. */
export function literalOf(text: string): string {
  return fold(cut(text)).replace(/\s+/g, ' ').trim();
}

/**
 * A value as stored in the index: the value itself, or its beginning and a digest of the whole, so that equality
 * remains exact and keys remain short. The shortened form is longer than any unshortened value, so that they never
 * collide.
 */
export function tokenText(value: string): string {
  if (value.length <= tokenCharactersMax) return value;
  const digest = createHash('sha256').update(value).digest('base64url');
  return `${beginning(value, prefixCharactersMax)}#${digest}`;
}

const cut = (text: string): string =>
  text.length <= textCharactersMax ? text : beginning(text, textCharactersMax);

/** The first `length` UTF-16 units, without splitting a surrogate pair. */
function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
