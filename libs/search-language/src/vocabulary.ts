/** A word of a text field. `code` identifies the field, as in the index. */
interface VocabularyWord {
  readonly code: string;
  readonly word: string;
}

const anyMark = /[#&/:;<=>?|]/;
/** The codes of a retailer's dynamic fields have a dot here, and any length; all other codes have two letters. */
const dotAt = 1;
const codeLength = 2;

const markAt = (token: string): number => (token[dotAt] === '.' ? token.search(anyMark) : codeLength);

/**
 * The field whose words are not part of the vocabulary, because each record has different words. Similar values are
 * found with the index of the values themselves.
 */
export const transactionIdCode = 'tr';

/** A quick test for `wordOf`: false for a string of a search document that is not a word. */
export const isWord = (token: string): boolean => token[markAt(token)] === ':';

/**
 * The word of a string in a search document. Shortened words, which contain a `#`, are omitted: they are too long for a
 * fuzzy search.
 */
export function wordOf(token: string): VocabularyWord | undefined {
  const at = markAt(token);
  if (token[at] !== ':' || token.includes('#', at)) return undefined;
  const code = token.slice(0, at);
  return code === transactionIdCode ? undefined : { code, word: token.slice(at + 1) };
}
