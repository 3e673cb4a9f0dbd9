import type { Collection } from 'mongodb';
import { isWord, withinEdits, wordOf, type SearchDocument } from '@receipts/search-language';
import { deadlineSignal, duplicatesIn, type CollectionDeclaration } from '@receipts/storage';
import type { TimeLimit, Log } from '@receipts/kernel';
import { KnownWords } from './known-words';
import { limitsOf } from './time-limit';

/**
 * A word of a text field of a retailer's receipts: `retailer|field|length|word`, so that the words of a field are
 * sorted by length, then alphabetically.
 */
export interface VocabularyDocument {
  readonly _id: string;
}

export const vocabularyCollection: CollectionDeclaration = { name: 'vocabulary', indexes: [] };

/** The size of each of the two generations. A word takes about 100 bytes. */
const knownWordsMax = 50_000;
/** The maximum number of words that could not be written and are written together with the next words. */
const owedWordsMax = 10_000;
/**
 * The limit of each read. A small vocabulary is read as a whole; from a large one this many words are read per
 * candidate range.
 */
const wordsReadMax = 10_000;

/** The number of words that are checked and removed in parallel. */
const forgottenAtOnce = 8;
/** Words have up to 200 letters. Lengths are zero-padded so that they sort numerically. */
const lengthDigits = 3;

const beginningOf = (retailer: string, code: string, length: number): string =>
  `${retailer}|${code}|${String(length).padStart(lengthDigits, '0')}|`;

/** Undefined for a string that is not a word of a fuzzy search. */
function idOf(retailer: string, token: string): string | undefined {
  const found = wordOf(token);
  return found && beginningOf(retailer, found.code, lengthOf(found.word)) + found.word;
}

const lengthOf = (word: string): number => [...word].length;

/** The smallest string above all strings with this prefix, in UTF-8 order. */
const endOf = (beginning: string): string => `${beginning}\u{10ffff}`;

/** A document with words. */
interface Source {
  readonly retailer: string;
  readonly search: SearchDocument;
}

/** A word as stored in `KnownWords`. */
interface Name {
  readonly retailer: string;
  readonly token: string;
}

/** All words in a retailer's texts, for searches with similar words. */
export class Vocabulary {
  private readonly known = new KnownWords(knownWordsMax);
  private readonly unwritten = new Map<string, Name>();

  constructor(
    private readonly collection: Collection<VocabularyDocument>,
    private readonly log: Log,
  ) {}

  /**
   * Stores the words of receipts that are about to be written, or are being written. If the caller waits for both
   * writes, no receipt is stored without its words.
   * @throws the database's error
   */
  async learn(receipts: readonly Source[], timeLimit: TimeLimit): Promise<void> {
    const fresh = this.freshOf(receipts);
    if (fresh.size === 0) return;
    const owed = new Map(this.unwritten);
    const all = new Map([...fresh, ...owed]);
    this.unwritten.clear();
    try {
      await this.write([...all.keys()], timeLimit);
    } catch (error) {
      this.writeLater(owed);
      throw error;
    }
    for (const { retailer, token } of all.values()) this.known.add(retailer, token);
  }

  /**
   * Like `learn`, for callers that do not repeat it: after a database error, the words are written together with the
   * next words.
   */
  async learnSoon(receipts: readonly Source[], timeLimit: TimeLimit): Promise<void> {
    try {
      await this.learn(receipts, timeLimit);
    } catch (error) {
      const fresh = this.freshOf(receipts);
      this.writeLater(fresh);
      this.log.warn('the vocabulary could not be updated', { count: fresh.size, error });
    }
  }

  private writeLater(words: ReadonlyMap<string, Name>): void {
    for (const [id, name] of words) if (this.unwritten.size < owedWordsMax) this.unwritten.set(id, name);
  }

  /** Possibly new words by their ids. */
  private freshOf(receipts: readonly Source[]): Map<string, Name> {
    const fresh = new Map<string, Name>();
    for (const { retailer, search } of receipts) {
      for (const tokens of [search.terms, search.texts]) {
        for (const token of tokens) this.addFresh(retailer, token, fresh);
      }
    }
    return fresh;
  }

  /** Words are cached by token, because it is cheaper than computing the id. */
  private addFresh(retailer: string, token: string, fresh: Map<string, Name>): void {
    if (!isWord(token) || this.known.has(retailer, token)) return;
    const id = idOf(retailer, token);
    if (id !== undefined) fresh.set(id, { retailer, token });
  }

  /**
   * Removes the words of a deleted text that no other text contains. A process that knows a removed word stores it again
   * within an hour or two, when a text contains it.
   * @param tokens strings of search documents
   * @param isUsed returns true if a document contains this string
   */
  async forget(
    retailer: string,
    tokens: readonly string[],
    isUsed: (token: string) => Promise<boolean>,
    timeLimit: TimeLimit,
  ): Promise<void> {
    const words = [...new Set(tokens)].filter(isWord);
    for (let n = 0; n < words.length; n += forgottenAtOnce) {
      const some = words.slice(n, n + forgottenAtOnce);
      await Promise.all(some.map((token) => this.forgetUnused(retailer, token, isUsed, timeLimit)));
    }
  }

  private async forgetUnused(
    retailer: string,
    token: string,
    isUsed: (token: string) => Promise<boolean>,
    timeLimit: TimeLimit,
  ): Promise<void> {
    const id = idOf(retailer, token);
    if (id === undefined || (await isUsed(token))) return;
    this.known.delete(retailer, token);
    this.unwritten.delete(id);
    await this.collection.deleteOne({ _id: id }, { signal: deadlineSignal(timeLimit) });
    // A text with the word may have been stored between the check and the removal.
    if (await isUsed(token)) await this.write([id], timeLimit);
  }

  /** The words of a field within `editsMax` edits of `word`, nearest first. */
  async similar(
    { retailer, code }: { readonly retailer: string; readonly code: string },
    word: string,
    { editsMax, countMax }: { readonly editsMax: number; readonly countMax: number },
    timeLimit: TimeLimit,
  ): Promise<readonly string[]> {
    const length = lengthOf(word);
    const lengths = Array.from({ length: 2 * editsMax + 1 }, (_, i) => length - editsMax + i).filter(
      (one) => one > 0,
    );
    const beginnings = lengths.map((one) => beginningOf(retailer, code, one));
    const ids = new Set(
      await this.read(beginnings[0] as string, endOf(beginnings.at(-1) as string), timeLimit),
    );
    if (ids.size === wordsReadMax) {
      // The vocabulary was not read completely. In addition, words with the same prefix are read, because users rarely
      // mistype the first letters.
      for (const share of [1 / length, 1 / 2]) {
        const start = [...word].slice(0, Math.ceil(length * share)).join('');
        const near = beginnings.map((beginning) =>
          this.read(beginning + start, endOf(beginning + start), timeLimit),
        );
        for (const id of (await Promise.all(near)).flat()) ids.add(id);
      }
    }
    const { length: idBeginning } = beginningOf(retailer, code, length);
    return nearest(
      word,
      [...ids].map((id) => id.slice(idBeginning)),
      editsMax,
      countMax,
    );
  }

  private async read(from: string, to: string, timeLimit: TimeLimit): Promise<readonly string[]> {
    const found = await this.collection
      .find(
        { _id: { $gte: from, $lt: to } },
        { sort: { _id: 1 }, limit: wordsReadMax, ...limitsOf(timeLimit) },
      )
      .toArray();
    return found.map(({ _id }) => _id);
  }

  private async write(ids: readonly string[], timeLimit: TimeLimit): Promise<void> {
    const words = ids.map((_id) => ({ _id }));
    const options = { ordered: false, signal: deadlineSignal(timeLimit) };
    await duplicatesIn(() => this.collection.insertMany(words, options));
  }
}

function nearest(word: string, words: readonly string[], editsMax: number, countMax: number): string[] {
  const found: string[] = [];
  let left = words.filter((candidate) => withinEdits(word, candidate, editsMax));
  for (let edits = 0; edits <= editsMax && found.length < countMax; edits++) {
    const isNear = (candidate: string) => withinEdits(word, candidate, edits);
    found.push(...left.filter(isNear));
    left = left.filter((candidate) => !isNear(candidate));
  }
  return found.slice(0, countMax);
}
