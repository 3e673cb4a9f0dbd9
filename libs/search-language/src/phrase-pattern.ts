/**
 * Patterns on the phrase strings of a search document: `<code>| red cotton shirt `. All text is escaped, and no part of
 * a pattern can match a character in two ways, so that matching takes linear time.
 */

const anyWord = '[^ ]+ ';

/** Escapes all special characters of a pattern, which are the same in PCRE and JavaScript. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/** A word of a phrase: any of `alternatives`, or any word that starts with `prefix`. */
export interface PhraseWord {
  readonly alternatives: readonly string[];
  readonly prefix: string | undefined;
}

/** A pattern for consecutive words, in order. */
export function phrasePattern(code: string, words: readonly PhraseWord[]): string {
  return `^${escapePattern(code)}\\|.* ${words.map(wordPattern).join('')}`;
}

function wordPattern({ alternatives, prefix }: PhraseWord): string {
  const forms = alternatives.map(escapePattern);
  if (prefix !== undefined) forms.push(`${escapePattern(prefix)}[^ ]*`);
  return `${forms.length === 1 ? forms[0] : `(?:${forms.join('|')})`} `;
}

/**
 * A pattern for words within `distance`, as Lucene defines it: if word i of the query is at position p(i) of the text,
 * the largest and the smallest p(i) - i differ by at most `distance`. This means that a base b exists with b + i <=
 * p(i) <= b + i + distance for each word, which is one look-ahead per word from a common position. If words are swapped
 * at the start of the text, the base is before the text: these are the alternatives with a negative base.
 * @param words must be distinct, so that no two of them can have the same position.
 */
export function proximityPattern(code: string, words: readonly string[], distance: number): string {
  const bases = [`(?:${anyWord})*${lookAheads(words, distance, 0)}`];
  for (let back = 1; back < words.length && back <= distance; back++) {
    bases.push(lookAheads(words, distance, back));
  }
  return `^${escapePattern(code)}\\| (?:${bases.join('|')})`;
}

/** @param back the distance of the base before the start of the text. */
function lookAheads(words: readonly string[], distance: number, back: number): string {
  return words
    .map((word, i) => {
      const least = Math.max(0, i - back);
      const most = i - back + distance;
      return `(?=(?:${anyWord}){${least},${most}}${escapePattern(word)} )`;
    })
    .join('');
}
