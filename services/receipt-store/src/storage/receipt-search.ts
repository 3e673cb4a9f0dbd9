import type { CompiledQuery, Filter } from '@receipts/search-language';
import {
  asksForSearch,
  RankedSearch,
  type Found,
  type Patience,
  type Scope,
  type SearchPage,
} from '@receipts/search';
import type { Collection, Filter as MongoFilter } from 'mongodb';
import type { ReceiptDocument, StoredReceipt } from './receipt-document';

/** Whose receipts are searched. */
export interface SearchScope {
  readonly retailer: string;
  readonly consumers: readonly string[] | undefined;
}

export type SearchedReceipt = Pick<ReceiptDocument, '_id' | 'text' | 'store_key'>;

/** Finds receipts by their search documents. Every filter begins with the retailer. */
export class ReceiptSearch {
  private readonly ranked: RankedSearch<StoredReceipt, SearchedReceipt>;

  constructor(private readonly collection: Collection<StoredReceipt>) {
    this.ranked = new RankedSearch(collection, { text: 1, store_key: 1 });
  }

  /** @throws ServiceError 503 when not even a page can be read in time */
  find(
    scope: SearchScope,
    compiled: CompiledQuery,
    page: SearchPage,
    patience: Patience,
  ): Promise<Found<SearchedReceipt>> {
    return this.ranked.find(scopeOf(scope), compiled, page, patience);
  }

  /** The plan of a page, for the test that holds it to its cost. */
  explain(scope: SearchScope, filter: Filter, count: number) {
    return this.collection
      .find(withinScope(scope, filter), { sort: { seq: -1 }, limit: count })
      .explain('executionStats');
  }
}

const scopeOf = (scope: SearchScope): Scope<StoredReceipt> => ({
  within: (filter) => withinScope(scope, filter),
  everything: everything(scope),
});

/** A single word of a retailer becomes two equalities, which is what an index counts without reading a receipt. */
function withinScope({ retailer, consumers }: SearchScope, filter: Filter): MongoFilter<StoredReceipt> {
  return {
    retailer,
    ...(consumers && { identifier: { $in: [...consumers] } }),
    ...filter,
    ...(!asksForSearch(filter) && { version: { $gt: 0 } }),
  };
}

/** All receipts, in terms that tombstones do not meet and an index knows. */
function everything({ retailer, consumers }: SearchScope): MongoFilter<StoredReceipt> {
  if (consumers) return { retailer, identifier: { $in: [...consumers] } };
  return { retailer, transaction_id: { $gte: '' } };
}
