import type { SearchDocument } from './search-document';

/** A word that occurs in a text field; `code` stands for the field, as in the index. */
export interface VocabularyWord {
  readonly code: string;
  readonly word: string;
}

/** Shortened words have a `#`: they are too long to be mistyped. */
const wordToken = /^([^:=?|#]+):([^#]+)$/;

/**
 * The field whose words are in no vocabulary, as each record brings new ones. Their owner has an index of the values
 * themselves, and looks there.
 */
export const transactionIdCode = 'tr';

/**
 * The words of a search document. An owner keeps them, each once a retailer, and looks there for words that are similar
 * to a misspelt one.
 */
export function vocabularyOf({ t, u }: SearchDocument): VocabularyWord[] {
  const words: VocabularyWord[] = [];
  for (const token of [...t, ...u]) {
    const match = wordToken.exec(token);
    if (match && match[1] !== transactionIdCode) words.push({ code: match[1]!, word: match[2]! });
  }
  return words;
}
