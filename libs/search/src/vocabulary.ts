import type { Collection } from 'mongodb';
import { vocabularyOf, withinEdits, type SearchDocument } from '@receipts/search-language';
import {
  deadlineSignal,
  guarded,
  isDuplicateKey,
  writeErrorsByIndex,
  type CollectionDeclaration,
  type Log,
} from '@receipts/storage';
import { KnownWords } from './known-words';
import { limitsOf, type Patience } from './patience';

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
  private readonly owed = new Set<string>();

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
    patience: Patience,
  ): Promise<void> {
    const fresh = new Set<string>();
    for (const { retailer, search } of receipts) {
      for (const { code, word } of vocabularyOf(search)) {
        const id = beginningOf(retailer, code, lengthOf(word)) + word;
        if (!this.known.has(id)) fresh.add(id);
      }
    }
    if (fresh.size === 0) return;
    for (const id of this.owed) fresh.add(id);
    this.owed.clear();
    try {
      await this.write([...fresh], patience);
      for (const id of fresh) this.known.add(id);
    } catch (error) {
      for (const id of fresh) if (this.owed.size < owedWordsMax) this.owed.add(id);
      this.log.warn('could not keep words', { count: fresh.size, error: (error as Error).name });
    }
  }

  /** Words of a field that are within so many edits of `word`, the nearest first. */
  async similar(
    retailer: string,
    code: string,
    word: string,
    editsMax: number,
    countMax: number,
    patience: Patience,
  ): Promise<readonly string[]> {
    const length = lengthOf(word);
    const lengths = Array.from({ length: 2 * editsMax + 1 }, (_, i) => length - editsMax + i).filter(
      (one) => one > 0,
    );
    const beginnings = lengths.map((one) => beginningOf(retailer, code, one));
    const ids = new Set(
      await this.read(beginnings[0] as string, endOf(beginnings.at(-1) as string), patience),
    );
    if (ids.size === wordsReadMax) {
      // Too many to look at each: people rarely mistype the beginning of a word.
      for (const share of [1 / length, 1 / 2]) {
        const start = [...word].slice(0, Math.ceil(length * share)).join('');
        const near = beginnings.map((beginning) =>
          this.read(beginning + start, endOf(beginning + start), patience),
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

  private async read(from: string, to: string, patience: Patience): Promise<readonly string[]> {
    const found = await guarded(() =>
      this.collection
        .find({ _id: { $gte: from, $lt: to } }, { limit: wordsReadMax, ...limitsOf(patience) })
        .toArray(),
    );
    return found.map(({ _id }) => _id);
  }

  private async write(ids: readonly string[], patience: Patience): Promise<void> {
    const signal = deadlineSignal(patience);
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
