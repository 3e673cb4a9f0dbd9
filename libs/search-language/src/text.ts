import { createHash } from 'node:crypto';

/** Of one text only the beginning is searched: nobody looks for the millionth letter, and the index stays small. */
export const textCharactersMax = 10_000;

/** Words and exact values up to this length stand in the index as they are. */
const tokenCharactersMax = 200;

/** Longer ones keep this much of their beginning, which is therefore the longest prefix that can be searched. */
export const prefixCharactersMax = 160;

/** Blanks of any kind are no part of a word, so they do not matter here. */
const ascii = /^[!-~\s]*$/;
const marks = /\p{M}+/gu;
const asciiWords = /[a-z0-9]+/g;
const anyWords = /[\p{L}\p{N}]+/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** NFKD without marks, in lower case: what two texts have in common when people call them the same. */
function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  // Lower-casing can make marks anew and depends on the place of a sigma, so both are evened out after it.
  return text.normalize('NFKD').replace(marks, '').toLowerCase().replace(marks, '').replace(/ς/g, 'σ');
}

/** A text as it is searched. */
export interface AnalysedText {
  /** Its words in order. Scripts that are written without blanks are cut by dictionary. */
  readonly words: readonly string[];
  /** The runs of other characters between them, such as `*`: trimmed, and blank ones left out. */
  readonly symbols: readonly string[];
}

export function analyse(text: string): AnalysedText {
  const searched = cut(text);
  const { words, symbols } = split(fold(searched));
  return { words: unspaced.test(searched) ? segmentedWords(searched) : words, symbols };
}

/** To cut a character of a script without blanks by dictionary takes so many times longer than to find a blank. */
const unspacedCost = 64;

/** What it takes to analyse a text, in characters of a script with blanks. */
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

/** The dictionary knows words as they are written, so they are cut before they are folded. */
function segmentedWords(text: string): string[] {
  const words: string[] = [];
  for (const { segment } of segmenter.segment(text)) words.push(...(fold(segment).match(anyWords) ?? []));
  return words;
}

/** The whole text as a test for literal substrings sees it. */
export function literalOf(text: string): string {
  return fold(cut(text)).replace(/\s+/g, ' ').trim();
}

/**
 * A value as it stands in the index: itself, or its beginning and a digest of the whole, so that equality stays exact
 * and a key stays short. The shortened form is longer than any value that is kept whole, so the two never meet.
 */
export function tokenText(value: string): string {
  if (value.length <= tokenCharactersMax) return value;
  const digest = createHash('sha256').update(value).digest('base64url');
  return `${beginning(value, prefixCharactersMax)}#${digest}`;
}

const cut = (text: string): string =>
  text.length <= textCharactersMax ? text : beginning(text, textCharactersMax);

/** At most `length` UTF-16 units, never half a surrogate pair. */
function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
