import type { TimeLimit } from '@receipts/kernel';
import {
  rankingTiers,
  type CompiledQuery,
  type Filter,
  type Ranking,
  type Score,
  type SearchDocument,
  type Tally,
} from '@receipts/search-language';
import type { Collection, Document, Filter as MongoFilter } from 'mongodb';
import { Attempts } from './attempts';
import { checkTimeLimit, limitsOf, shareOf, Turns, type ReadLimit } from './time-limit';

/** A document that can be searched. It also has `arrival`, the order of arrival, which may be of any type. */
export interface Searchable extends Document {
  readonly _id: string;
  readonly retailer: string;
  readonly search: SearchDocument;
}

/** The documents that the caller may search: those of a retailer or, if given, only those of some consumers or stores. */
export interface Scope {
  readonly retailer: string;
  readonly consumers?: readonly string[] | undefined;
  /** The values of `store_key`; only for collections that have this field. */
  readonly storeKeys?: readonly string[] | undefined;
}

/** The conditions of a scope's restrictions; undefined if there are none. */
function restrictionsOf({ consumers, storeKeys }: Scope): Filter | undefined {
  if (!consumers && !storeKeys) return undefined;
  return {
    ...(consumers && { identifier: { $in: [...consumers] } }),
    ...(storeKeys && { store_key: { $in: [...storeKeys] } }),
  };
}

export interface SearchPage {
  readonly offset: number;
  readonly count: number;
}

/** `at_least` if counting reached its time limit. */
export type HitsRelation = 'eq' | 'at_least';

export interface Found<R> {
  readonly hits: number;
  readonly relation: HitsRelation;
  readonly records: readonly R[];
}

/** If a query has too many optional clauses for ranking by tiers, only this many of the newest hits are sorted. */
const scoredHitsMax = 2_000;
/** The number of hits read at a time, so that decoding them does not delay other work. */
const scoredBatchSize = 100;
/** The shares of the remaining time that counting and sorting may take. */
const countShare = 0.5;
const rankShare = 0.6;

/** The fields of a collection in addition to its search documents. */
export interface Columns {
  /** The part of a document that a page contains. */
  readonly projection: Readonly<Record<string, 1>>;
  /** The fields that filters test. */
  readonly tested: readonly string[];
  /** The name of the index of `retailer` and `arrival`. */
  readonly order: string;
  /** Matches the documents that have a search document; absent if all have one. */
  readonly present?: Filter;
  /** Matches the same documents in a form that an index can count. */
  readonly all?: Filter;
}

/**
 * Searches documents by their search documents.
 * @typeParam R the part of a document that a page contains, according to `projection`
 */
export class RankedSearch<D extends Document, R extends { readonly _id: string }> {
  constructor(
    private readonly collection: Collection<D>,
    private readonly columns: Columns,
  ) {}

  /**
   * Counts the hits of a query and reads a page of them. If counting takes too long, `hits` is a lower bound: one more
   * than offset plus page size while there are more. If sorting takes too long, the page contains the newest hits. If
   * even those cannot all be found, it contains those found in time.
   * @throws the driver's error if the database does not respond, and ServiceError 503 if there is no time left
   */
  async find(
    scope: Scope,
    compiled: CompiledQuery,
    { offset, count }: SearchPage,
    timeLimit: TimeLimit,
  ): Promise<Found<R>> {
    const { filter, tally } = compiled;
    const attempts = new Attempts();
    const hits = await attempts.run(this.count(scope, tally, shareOf(timeLimit, countShare)));
    if (hits !== undefined && hits <= offset) return { hits, relation: 'eq', records: [] };
    // If the count is unknown, one additional hit shows whether there are more.
    const page = { offset, count: hits === undefined ? count + 1 : count };
    const ranking = rankingTiers(compiled);
    let records = await attempts.run(this.page(scope, ranking, filter, page, shareOf(timeLimit, rankShare)));
    const isComplete = records !== undefined;
    records ??= await this.newest(this.within(scope, filter), page, timeLimit, attempts);
    attempts.check();
    if (hits !== undefined) return { hits, relation: 'eq', records };
    if (isComplete && records.length === 0) {
      // There are no more hits than those before the page.
      const before =
        offset === 0 ? 0 : await attempts.run(this.countOf(this.within(scope, filter), timeLimit, offset));
      return { hits: before ?? 0, relation: before === undefined ? 'at_least' : 'eq', records };
    }
    const isLast = isComplete && records.length <= count;
    return {
      hits: records.length === 0 ? 0 : offset + records.length,
      relation: isLast ? 'eq' : 'at_least',
      records: records.slice(0, count),
    };
  }

  /**
   * Restricts a filter to a scope. A search for one word becomes two equality conditions, which an index can count
   * without reading documents.
   */
  within(scope: Scope, filter: Filter): MongoFilter<D> {
    const { retailer } = scope;
    const condition = { ...filter, ...(!asksForSearch(filter) && this.columns.present) };
    // The filter may test the same fields, so it must not be merged with the restrictions.
    const restrictions = restrictionsOf(scope);
    const restricted = restrictions
      ? { $and: [{ retailer, ...restrictions }, condition] }
      : { retailer, ...condition };
    return restricted as MongoFilter<D>;
  }

  private everything(scope: Scope): MongoFilter<D> {
    return {
      retailer: scope.retailer,
      ...(restrictionsOf(scope) ?? this.columns.all),
    } as unknown as MongoFilter<D>;
  }

  /**
   * The number of matching documents.
   * @throws ServiceError 503 if it takes too long
   */
  async count(scope: Scope, { plus, minus }: Tally, timeLimit: ReadLimit): Promise<number> {
    const sum = async (filters: readonly Filter[]) => {
      const counts = filters.map((filter) => {
        const isAll = Object.keys(filter).length === 0;
        return this.countOf(isAll ? this.everything(scope) : this.within(scope, filter), timeLimit);
      });
      return (await Promise.all(counts)).reduce((total, one) => total + one, 0);
    };
    const [added, removed] = await Promise.all([sum(plus), sum(minus)]);
    // Documents that arrive between two counts could make the difference negative.
    return Math.max(0, added - removed);
  }

  /**
   * A page of the hits, sorted by rank, then newest first.
   * @throws ServiceError 503 if it takes too long
   */
  async page(
    scope: Scope,
    ranking: Ranking,
    filter: Filter,
    page: SearchPage,
    timeLimit: ReadLimit,
  ): Promise<readonly R[]> {
    return ranking.kind === 'tiers'
      ? this.pageOfTiers(scope, ranking.tiers, page, timeLimit)
      : this.pageByScore(scope, filter, ranking.score, page, timeLimit);
  }

  private async pageOfTiers(
    scope: Scope,
    tiers: readonly Filter[],
    { offset, count }: SearchPage,
    timeLimit: ReadLimit,
  ): Promise<readonly R[]> {
    const page: R[] = [];
    let skip = offset;
    for (const [i, tier] of tiers.entries()) {
      const filter = this.within(scope, tier);
      const found = await this.read(filter, { skip, limit: count - page.length }, timeLimit);
      page.push(...found);
      if (page.length === count || i === tiers.length - 1) break;
      if (page.length > 0) skip = 0;
      else if (skip > 0) skip -= await this.countOf(filter, timeLimit, skip);
    }
    return page;
  }

  private async pageByScore(
    scope: Scope,
    filter: Filter,
    score: Score,
    { offset, count }: SearchPage,
    timeLimit: ReadLimit,
  ): Promise<readonly R[]> {
    const hits = await this.scored(this.within(scope, filter), score, timeLimit);
    const ids = hits
      .sort((a, b) => b.score - a.score || a.age - b.age)
      .slice(offset, offset + count)
      .map(({ _id }) => _id);
    if (ids.length === 0) return [];
    const found = await this.read(
      { $and: [this.everything(scope), { _id: { $in: ids } }] } as unknown as MongoFilter<D>,
      { limit: count },
      timeLimit,
    );
    const byId = new Map(found.map((record) => [record._id, record]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** The newest hits with their scores. Search documents may be large, so they are not kept in memory. */
  private async scored(filter: MongoFilter<D>, score: Score, timeLimit: ReadLimit) {
    const tested = Object.fromEntries(this.columns.tested.map((name) => [name, 1]));
    const newest = this.collection.find<Pick<Searchable, '_id' | 'search'>>(filter, {
      projection: { search: 1, ...tested },
      sort: { arrival: -1 },
      limit: scoredHitsMax,
      batchSize: scoredBatchSize,
      ...limitsOf(timeLimit),
    });
    const hits: { readonly _id: string; readonly age: number; readonly score: number }[] = [];
    const turns = new Turns();
    for await (const record of newest) {
      const value = score(record, () => checkTimeLimit(timeLimit));
      hits.push({ _id: record._id, age: hits.length, score: value });
      await turns.between();
    }
    return hits;
  }

  private read(
    filter: MongoFilter<D>,
    window: { readonly skip?: number; readonly limit: number },
    timeLimit: ReadLimit,
  ): Promise<R[]> {
    const { projection } = this.columns;
    return this.collection
      .find<R>(filter, { projection, sort: { arrival: -1 }, ...window, ...limitsOf(timeLimit) })
      .toArray();
  }

  /** The newest hits, as many as are found in time. The database sends each hit as soon as it is found. */
  private async newest(
    filter: MongoFilter<D>,
    { offset, count }: SearchPage,
    timeLimit: ReadLimit,
    attempts: Attempts,
  ): Promise<readonly R[]> {
    const { projection, order } = this.columns;
    const found: R[] = [];
    const options = { projection, hint: order, skip: offset, limit: count, batchSize: 1 };
    const cursor = this.collection.find<R>(filter, {
      ...options,
      sort: { arrival: -1 },
      ...limitsOf(timeLimit),
    });
    const read = async () => {
      for await (const record of cursor) found.push(record);
    };
    await attempts.run(read());
    return found;
  }

  private countOf(filter: MongoFilter<D>, timeLimit: ReadLimit, limit?: number): Promise<number> {
    const options = { ...limitsOf(timeLimit), ...(limit !== undefined && { limit }) };
    return this.collection.countDocuments(filter, options);
  }
}

/** True if the filter matches only documents that have a search document. */
function asksForSearch(filter: Filter): boolean {
  return Object.entries(filter).some(([key, value]) => {
    if (key === '$and') return (value as Filter[]).some(asksForSearch);
    if (key === '$or') return (value as Filter[]).every(asksForSearch);
    return key !== '$nor';
  });
}
