import type { SearchDocument } from './search-document';

/** A word that occurs in a text field; `code` stands for the field, as in the index. */
export interface VocabularyWord {
  readonly code: string;
  readonly word: string;
}

const mark = /[:=?|#]/;

/**
 * The field whose words are in no vocabulary, as each record brings new ones. Their owner has an index of the values
 * themselves, and looks there.
 */
export const transactionIdCode = 'tr';

/** The word that a string of a search document stands for. Shortened ones have a `#`: they are too long to be mistyped. */
export function wordOf(token: string): VocabularyWord | undefined {
  const at = token.search(mark);
  if (token[at] !== ':' || token.includes('#', at)) return undefined;
  const code = token.slice(0, at);
  return code === transactionIdCode ? undefined : { code, word: token.slice(at + 1) };
}

/**
 * The words of a search document. An owner keeps them, each once a retailer, and looks there for words that are similar
 * to a misspelt one.
 */
export function vocabularyOf({ t, u }: SearchDocument): VocabularyWord[] {
  return [...t, ...u].flatMap((token) => wordOf(token) ?? []);
}
