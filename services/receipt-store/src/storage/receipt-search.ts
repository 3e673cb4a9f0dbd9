import type { Collection, Filter as MongoFilter } from 'mongodb';
import type { Filter, Ranking, Score } from '@receipts/search-language';
import { guarded } from '@receipts/storage';
import type { ReceiptDocument, StoredReceipt } from './receipt-document';
import { checkPatience, limitsOf, Turns, type SearchPatience } from './search-patience';

/** Whose receipts are searched. */
export interface SearchScope {
  readonly retailer: string;
  readonly consumers: readonly string[] | undefined;
}

export interface SearchPage {
  readonly offset: number;
  readonly count: number;
}

export type SearchedReceipt = Pick<ReceiptDocument, '_id' | 'text' | 'store_key'>;

/** Of a query with many plain conditions the newest hits are put in order, no more than that. */
const scoredHitsMax = 2_000;

/** Finds receipts by their search documents. Every filter begins with the retailer. */
export class ReceiptSearch {
  constructor(private readonly collection: Collection<StoredReceipt>) {}

  /**
   * How many receipts match.
   * @throws ServiceError 503 when it takes too long
   */
  async count(scope: SearchScope, filter: Filter, patience: SearchPatience): Promise<number> {
    const excluded = excludedBy(filter);
    if (!excluded) return this.countOf(withinScope(scope, filter), patience);
    // What is left over by a condition is counted by what meets it, since nothing leads to what is not there.
    const [all, others] = await Promise.all([
      this.countOf(everything(scope), patience),
      this.countOf(withinScope(scope, excluded), patience),
    ]);
    return Math.max(0, all - others);
  }

  /** A page of the hits, those that rank first in front, then the newest. */
  async page(
    scope: SearchScope,
    ranking: Ranking,
    filter: Filter,
    page: SearchPage,
    patience: SearchPatience,
  ): Promise<readonly SearchedReceipt[]> {
    return ranking.kind === 'tiers'
      ? this.pageOfTiers(scope, ranking.tiers, page, patience)
      : this.pageByScore(scope, filter, ranking.score, page, patience);
  }

  /** The plan of a page, for the test that holds it to its cost. */
  explain(scope: SearchScope, filter: Filter, count: number) {
    return this.collection
      .find(withinScope(scope, filter), { sort: { seq: -1 }, limit: count })
      .explain('executionStats');
  }

  private async pageOfTiers(
    scope: SearchScope,
    tiers: readonly Filter[],
    { offset, count }: SearchPage,
    patience: SearchPatience,
  ): Promise<readonly SearchedReceipt[]> {
    const page: SearchedReceipt[] = [];
    let skip = offset;
    for (const [i, tier] of tiers.entries()) {
      const filter = withinScope(scope, tier);
      const found = await this.read(filter, { skip, limit: count - page.length }, patience);
      page.push(...found);
      if (page.length === count || i === tiers.length - 1) break;
      if (page.length > 0) skip = 0;
      else if (skip > 0) skip -= await this.countOf(filter, patience, skip);
    }
    return page;
  }

  private async pageByScore(
    scope: SearchScope,
    filter: Filter,
    score: Score,
    { offset, count }: SearchPage,
    patience: SearchPatience,
  ): Promise<readonly SearchedReceipt[]> {
    const hits = await guarded(() => this.scored(withinScope(scope, filter), score, patience));
    const ids = hits
      .sort((a, b) => b.score - a.score || a.age - b.age)
      .slice(offset, offset + count)
      .map(({ _id }) => _id);
    if (ids.length === 0) return [];
    const found = await this.read(
      { retailer: scope.retailer, _id: { $in: ids } },
      { limit: count },
      patience,
    );
    const byId = new Map(found.map((receipt) => [receipt._id, receipt]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** The newest hits with their scores. Search documents may be large, so they are not held all at once. */
  private async scored(filter: MongoFilter<StoredReceipt>, score: Score, patience: SearchPatience) {
    const newest = this.collection.find<Pick<ReceiptDocument, '_id' | 'search'>>(filter, {
      projection: { search: 1 },
      sort: { seq: -1 },
      limit: scoredHitsMax,
      ...limitsOf(patience),
    });
    const hits: { readonly _id: string; readonly age: number; readonly score: number }[] = [];
    const turns = new Turns();
    for await (const { _id, search } of newest) {
      hits.push({ _id, age: hits.length, score: score(search, () => checkPatience(patience)) });
      await turns.between();
    }
    return hits;
  }

  private read(
    filter: MongoFilter<StoredReceipt>,
    window: { readonly skip?: number; readonly limit: number },
    patience: SearchPatience,
  ): Promise<SearchedReceipt[]> {
    return guarded(() =>
      this.collection
        .find<SearchedReceipt>(filter, {
          projection: { text: 1, store_key: 1 },
          sort: { seq: -1 },
          ...window,
          ...limitsOf(patience),
        })
        .toArray(),
    );
  }

  private countOf(
    filter: MongoFilter<StoredReceipt>,
    patience: SearchPatience,
    limit?: number,
  ): Promise<number> {
    const options = { ...limitsOf(patience), ...(limit !== undefined && { limit }) };
    return guarded(() => this.collection.countDocuments(filter, options));
  }
}

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

/** True when nothing meets the filter but what has a search document, which tombstones have not. */
function asksForSearch(filter: Filter): boolean {
  return Object.entries(filter).some(([key, value]) => {
    if (key === '$and') return (value as Filter[]).some(asksForSearch);
    if (key === '$or') return (value as Filter[]).every(asksForSearch);
    return key !== '$nor';
  });
}

/** What a query that only excludes leaves out. */
function excludedBy(filter: Filter): Filter | undefined {
  const { $nor: excluded, ...rest } = filter as { readonly $nor?: readonly Filter[] };
  if (!excluded || Object.keys(rest).length > 0 || !excluded.every(asksForSearch)) return undefined;
  return excluded.length === 1 ? excluded[0] : { $or: excluded };
}
