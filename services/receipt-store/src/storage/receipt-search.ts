import { withinEdits, wordsOf, type CompiledQuery } from '@receipts/search-language';
import { limitsOf, RankedSearch, type Found, type Scope, type SearchPage } from '@receipts/search';
import type { Collection } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { isReceipt, receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';

export type SearchedReceipt = Pick<ReceiptDocument, '_id' | 'text' | 'store_key'>;

/** The maximum number of transaction ids that are compared in a fuzzy search. */
const transactionIdsMax = 5_000;

const newestBatchSize = 20;

/** Finds receipts by their search documents. Every filter begins with the retailer. */
export class ReceiptSearch {
  private readonly ranked: RankedSearch<StoredReceipt, SearchedReceipt>;

  constructor(private readonly collection: Collection<StoredReceipt>) {
    this.ranked = new RankedSearch(collection, {
      projection: { text: 1, store_key: 1 },
      tested: ['identifier', 'store_key'],
      order: receiptIndexes.arrival.name,
      present: isReceipt,
      all: { store_key: { $gte: '' } },
    });
  }

  async find(
    scope: Scope,
    compiled: CompiledQuery,
    page: SearchPage,
    timeLimit: TimeLimit,
  ): Promise<Found<SearchedReceipt>> {
    return this.ranked.find(scope, compiled, page, timeLimit);
  }

  /** The newest hits, at most `limit`. Few are held in memory, because receipts may be large. */
  async *newest(
    scope: Scope,
    { filter }: CompiledQuery,
    limit: number,
    timeLimit: TimeLimit,
  ): AsyncGenerator<SearchedReceipt> {
    const projection = { text: 1, store_key: 1 };
    const options = { projection, sort: { seq: -1 }, limit, batchSize: newestBatchSize } as const;
    const found = this.collection.find<SearchedReceipt>(this.ranked.within(scope, filter), {
      ...options,
      ...limitsOf(timeLimit),
    });
    yield* found;
  }

  /** Words of the retailer's transaction ids within `edits` of `word`, nearest first. */
  async similarTransactionIds(
    { retailer }: Scope,
    word: string,
    editsMax: number,
    timeLimit: TimeLimit,
  ): Promise<readonly string[]> {
    const ids = await this.transactionIds(retailer, '', timeLimit);
    if (ids.length === transactionIdsMax) {
      // There are too many ids to compare all of them, so the first half of the word must match: typing errors at the
      // beginning are rare.
      const start = word.slice(0, Math.ceil(word.length / 2));
      for (const written of new Set([start, start.toUpperCase()])) {
        ids.push(...(await this.transactionIds(retailer, written, timeLimit)));
      }
    }
    const words = [...new Set(ids.flatMap(wordsOf))].filter((one) => withinEdits(word, one, editsMax));
    const edits = (one: string) => [0, 1, 2].find((count) => withinEdits(word, one, count)) ?? editsMax;
    return words.sort((a, b) => edits(a) - edits(b));
  }

  /** The ids are read only from the keys of the index. */
  private async transactionIds(retailer: string, beginning: string, timeLimit: TimeLimit): Promise<string[]> {
    const range = { $gte: beginning, $lt: `${beginning}\u{10ffff}` };
    const found = await this.collection
      .find<Pick<ReceiptDocument, 'transaction_id'>>(
        { retailer, transaction_id: range },
        {
          projection: { _id: 0, transaction_id: 1 },
          hint: receiptIndexes.transactionId.name,
          sort: { transaction_id: 1 },
          limit: transactionIdsMax,
          ...limitsOf(timeLimit),
        },
      )
      .toArray();
    return found.map(({ transaction_id }) => transaction_id);
  }
}
