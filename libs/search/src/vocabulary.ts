import type { Collection } from 'mongodb';
import { withinEdits, wordOf, type SearchDocument } from '@receipts/search-language';
import {
  deadlineSignal,
  guarded,
  isDuplicateKey,
  writeErrorsByIndex,
  type CollectionDeclaration,
  type Log,
} from '@receipts/storage';
import { KnownWords } from './known-words';
import { limitsOf, type TimeLimit } from './time-limit';

/**
 * A word that occurs in some text field of a retailer's receipts: `retailer|field|length|word`, so that the words of one
 * field lie by length and then by alphabet.
 */
export interface VocabularyDocument {
  readonly _id: string;
}

export const vocabularyCollection: CollectionDeclaration = { name: 'vocabulary', indexes: [] };

/** About 100 bytes each, and there are two generations. */
const knownWordsMax = 50_000;
/** Words that could not be written and go along with the next ones. */
const owedWordsMax = 10_000;
/** A look at a small vocabulary reads it whole; of a large one it reads so much of each neighbourhood. */
const wordsReadMax = 10_000;

/** Words have at most 200 letters, and lengths are to lie in order. */
const lengthDigits = 3;

const beginningOf = (retailer: string, code: string, length: number): string =>
  `${retailer}|${code}|${String(length).padStart(lengthDigits, '0')}|`;

const lengthOf = (word: string): number => [...word].length;

/** The next string that does not begin so, in the order of UTF-8. */
const endOf = (beginning: string): string => `${beginning}\u{10ffff}`;

/** Every word of a retailer's texts, for searches that ask for similar ones. A word is never taken out again. */
export class Vocabulary {
  private readonly known = new KnownWords(knownWordsMax);
  private readonly owed = new Map<string, string>();

  constructor(
    private readonly collection: Collection<VocabularyDocument>,
    private readonly log: Log,
  ) {}

  /**
   * Keeps the words of receipts that are about to be written, or are being written. Whoever waits for both before
   * answering has no receipt without its words. Never fails for a passing fault of the database: then the words go
   * along with the next ones.
   */
  async learn(
    receipts: readonly { readonly retailer: string; readonly search: SearchDocument }[],
    timeLimit: TimeLimit,
  ): Promise<void> {
    /** The ids of words that may be new, and what they are known by. */
    const fresh = new Map<string, string>();
    for (const { retailer, search } of receipts) {
      for (const tokens of [search.t, search.u]) {
        for (const token of tokens) this.addFresh(retailer, token, fresh);
      }
    }
    if (fresh.size === 0) return;
    for (const [id, name] of this.owed) fresh.set(id, name);
    this.owed.clear();
    try {
      await this.write([...fresh.keys()], timeLimit);
      for (const name of fresh.values()) this.known.add(name);
    } catch (error) {
      for (const [id, name] of fresh) if (this.owed.size < owedWordsMax) this.owed.set(id, name);
      this.log.warn('could not keep words', { count: fresh.size, error: (error as Error).name });
    }
  }

  /** A word is known by its token, which is at hand; its id takes longer to make than to look the token up. */
  private addFresh(retailer: string, token: string, fresh: Map<string, string>): void {
    const name = `${retailer}|${token}`;
    if (this.known.has(name)) return;
    const found = wordOf(token);
    if (found) fresh.set(beginningOf(retailer, found.code, lengthOf(found.word)) + found.word, name);
  }

  /** Words of a field that are within so many edits of `word`, the nearest first. */
  async similar(
    retailer: string,
    code: string,
    word: string,
    editsMax: number,
    countMax: number,
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
      // Too many to look at each: people rarely mistype the beginning of a word.
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
    const found = await guarded(() =>
      this.collection
        .find({ _id: { $gte: from, $lt: to } }, { limit: wordsReadMax, ...limitsOf(timeLimit) })
        .toArray(),
    );
    return found.map(({ _id }) => _id);
  }

  private async write(ids: readonly string[], timeLimit: TimeLimit): Promise<void> {
    const signal = deadlineSignal(timeLimit);
    try {
      await this.collection.insertMany(
        ids.map((_id) => ({ _id })),
        { ordered: false, signal },
      );
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault))) throw error;
    }
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
