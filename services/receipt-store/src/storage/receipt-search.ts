import { withinEdits, wordsOf, type CompiledQuery } from '@receipts/search-language';
import { limitsOf, RankedSearch, type Found, type Scope, type SearchPage } from '@receipts/search';
import type { Collection } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { isReceipt, receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';

export type SearchedReceipt = Pick<ReceiptDocument, '_id' | 'text' | 'store_key'>;

/** A receipt with its positions in both orders. */
export type PlacedReceipt = SearchedReceipt &
  Pick<ReceiptDocument, 'arrival'> & { readonly search: { readonly numbers?: { readonly ts?: number } } };

/** A position in the order of sale and in the order of arrival. */
export interface RowPosition {
  readonly at: number;
  readonly arrival: number;
}

export interface OrderedPage {
  readonly sort: 'sold' | 'arrived';
  readonly beyond: RowPosition | undefined;
  readonly direction: 'older' | 'newer';
  readonly limit: number;
}

const time = 'search.numbers.ts';

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

  /** The number of hits. */
  count(scope: Scope, { tally }: CompiledQuery, timeLimit: TimeLimit): Promise<number> {
    return this.ranked.count(scope, tally, timeLimit);
  }

  /** The hits next to a position, nearest first, at most `limit`. Few are in memory, because receipts may be large. */
  inOrder(
    scope: Scope,
    { filter }: CompiledQuery,
    { sort, beyond, direction, limit }: OrderedPage,
    timeLimit: TimeLimit,
  ): AsyncIterable<PlacedReceipt> {
    const isOlder = direction === 'older';
    const [before, after] = isOlder ? ['$lt', '$gt'] : ['$gt', '$lt'];
    // The index of the time of sale has the order of arrival descending, so receipts of one moment are reversed.
    const past =
      sort === 'arrived'
        ? { arrival: { [before]: beyond?.arrival } }
        : {
            [time]: { [`${before}e`]: beyond?.at },
            $or: [{ [time]: { [before]: beyond?.at } }, { arrival: { [after]: beyond?.arrival } }],
          };
    const condition = beyond ? { $and: [filter, past] } : filter;
    const down = isOlder ? -1 : 1;
    return this.collection.find<PlacedReceipt>(this.ranked.within(scope, condition), {
      projection: { text: 1, store_key: 1, arrival: 1, [time]: 1 },
      sort: sort === 'arrived' ? { arrival: down } : { [time]: down, arrival: isOlder ? 1 : -1 },
      limit,
      batchSize: newestBatchSize,
      ...limitsOf(timeLimit),
    });
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
