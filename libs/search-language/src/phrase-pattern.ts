/**
 * Patterns on the phrase strings of a search document: `<code>| red cotton shirt `. All text in them is escaped, and
 * no part of them can match one character in two ways, so matching takes a time that grows with the string only.
 */

const anyWord = '[^ ]+ ';

/** Escapes whatever means something in a pattern, so that text stands for itself. PCRE and JavaScript agree on these. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/** One word of a phrase: any of `alternatives`, or any word that begins with `prefix`. */
export interface PhraseWord {
  readonly alternatives: readonly string[];
  readonly prefix: string | undefined;
}

/** The words next to each other, in order. */
export function phrasePattern(code: string, words: readonly PhraseWord[]): string {
  return `^${escapePattern(code)}\\|.* ${words.map(wordPattern).join('')}`;
}

function wordPattern({ alternatives, prefix }: PhraseWord): string {
  const forms = alternatives.map(escapePattern);
  if (prefix !== undefined) forms.push(`${escapePattern(prefix)}[^ ]*`);
  return `${forms.length === 1 ? forms[0] : `(?:${forms.join('|')})`} `;
}

/**
 * The words apart by no more than `distance`, in Lucene's measure: let word i of the query stand at place p(i) of the
 * text; then the largest and the smallest p(i) - i differ by at most `distance`. So there is a base b with
 * b + i <= p(i) <= b + i + distance for each word, which is one look-ahead a word from a common place. Words swapped
 * at the very beginning of the text need a base before it, which are the alternatives with a negative base.
 * @param words each once, so that no two of them can stand at the same place.
 */
export function proximityPattern(code: string, words: readonly string[], distance: number): string {
  const bases = [`(?:${anyWord})*${lookAheads(words, distance, 0)}`];
  for (let back = 1; back < words.length && back <= distance; back++) {
    bases.push(lookAheads(words, distance, back));
  }
  return `^${escapePattern(code)}\\| (?:${bases.join('|')})`;
}

/** @param back how many places before the text the base lies. */
function lookAheads(words: readonly string[], distance: number, back: number): string {
  return words
    .map((word, i) => {
      const least = Math.max(0, i - back);
      const most = i - back + distance;
      return `(?=(?:${anyWord}){${least},${most}}${escapePattern(word)} )`;
    })
    .join('');
}
