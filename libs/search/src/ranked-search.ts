import { ServiceError, type TimeLimit } from '@receipts/kernel';
import {
  rankingTiers,
  type CompiledQuery,
  type Filter,
  type Ranking,
  type Score,
  type SearchDocument,
} from '@receipts/search-language';
import { guarded } from '@receipts/storage';
import type { Collection, Document, Filter as MongoFilter } from 'mongodb';
import { checkTimeLimit, limitsOf, Turns } from './time-limit';

/** A document that can be searched. It also has `seq`, the order of arrival, of any type. */
export interface Searchable extends Document {
  readonly _id: string;
  readonly retailer: string;
  readonly search: SearchDocument;
}

/** The set of documents that the caller may search. */
export interface Scope<D extends Document> {
  /** Adds the retailer, and the caller's other restrictions, to a filter. */
  readonly within: (filter: Filter) => MongoFilter<D>;
  /** Matches all documents that the caller may find, in a form that an index can count. */
  readonly everything: MongoFilter<D>;
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

/** If a query has too many optional clauses for tiers, only this many of the newest hits are sorted. */
const scoredHitsMax = 2_000;
/** The shares of the remaining time that counting and sorting may take. */
const countShare = 0.5;
const rankShare = 0.7;

const shareOf = ({ deadline }: TimeLimit, share: number): TimeLimit => {
  const now = Date.now();
  return { deadline: now + Math.max(0, deadline - now) * share };
};

/** True if a read reached its time limit, or failed for another temporary reason. */
const isCutShort = (error: unknown): boolean => error instanceof ServiceError && error.status === 503;

/**
 * Searches documents by their search documents.
 * @typeParam R the part of a document that a page contains, according to `projection`
 */
export class RankedSearch<D extends Document, R extends { readonly _id: string }> {
  constructor(
    private readonly collection: Collection<D>,
    private readonly projection: Readonly<Record<string, 1>>,
  ) {}

  /**
   * Counts the hits of a query and reads a page of them. If counting or sorting all hits takes too long, it still
   * returns a result: see `Found.relation`; the page then contains the newest hits.
   * @throws ServiceError 503 if not even a page can be read in time
   */
  async find(
    scope: Scope<D>,
    compiled: CompiledQuery,
    page: SearchPage,
    timeLimit: TimeLimit,
  ): Promise<Found<R>> {
    const hits = await unlessCutShort(this.count(scope, compiled.filter, shareOf(timeLimit, countShare)));
    if (hits !== undefined && hits <= page.offset) return { hits, relation: 'eq', records: [] };
    const ranking = rankingTiers(compiled);
    const ranked = this.page(scope, ranking, compiled.filter, page, shareOf(timeLimit, rankShare));
    const records =
      (await unlessCutShort(ranked)) ??
      (await this.read(scope.within(compiled.filter), { skip: page.offset, limit: page.count }, timeLimit));
    if (hits !== undefined) return { hits, relation: 'eq', records };
    return { hits: page.offset + records.length, relation: 'at_least', records };
  }

  /**
   * The number of matching documents.
   * @throws ServiceError 503 if it takes too long
   */
  async count(scope: Scope<D>, filter: Filter, timeLimit: TimeLimit): Promise<number> {
    const excluded = excludedBy(filter);
    if (!excluded) return this.countOf(scope.within(filter), timeLimit);
    // A query that only excludes is counted by its complement, because an index cannot find documents by missing terms.
    const [all, others] = await Promise.all([
      this.countOf(scope.everything, timeLimit),
      this.countOf(scope.within(excluded), timeLimit),
    ]);
    return Math.max(0, all - others);
  }

  /**
   * A page of the hits, sorted by rank and then newest first.
   * @throws ServiceError 503 if it takes too long
   */
  async page(
    scope: Scope<D>,
    ranking: Ranking,
    filter: Filter,
    page: SearchPage,
    timeLimit: TimeLimit,
  ): Promise<readonly R[]> {
    return ranking.kind === 'tiers'
      ? this.pageOfTiers(scope, ranking.tiers, page, timeLimit)
      : this.pageByScore(scope, filter, ranking.score, page, timeLimit);
  }

  private async pageOfTiers(
    scope: Scope<D>,
    tiers: readonly Filter[],
    { offset, count }: SearchPage,
    timeLimit: TimeLimit,
  ): Promise<readonly R[]> {
    const page: R[] = [];
    let skip = offset;
    for (const [i, tier] of tiers.entries()) {
      const filter = scope.within(tier);
      const found = await this.read(filter, { skip, limit: count - page.length }, timeLimit);
      page.push(...found);
      if (page.length === count || i === tiers.length - 1) break;
      if (page.length > 0) skip = 0;
      else if (skip > 0) skip -= await this.countOf(filter, timeLimit, skip);
    }
    return page;
  }

  private async pageByScore(
    scope: Scope<D>,
    filter: Filter,
    score: Score,
    { offset, count }: SearchPage,
    timeLimit: TimeLimit,
  ): Promise<readonly R[]> {
    const hits = await guarded(() => this.scored(scope.within(filter), score, timeLimit));
    const ids = hits
      .sort((a, b) => b.score - a.score || a.age - b.age)
      .slice(offset, offset + count)
      .map(({ _id }) => _id);
    if (ids.length === 0) return [];
    const found = await this.read(
      { $and: [scope.everything, { _id: { $in: ids } }] } as unknown as MongoFilter<D>,
      { limit: count },
      timeLimit,
    );
    const byId = new Map(found.map((record) => [record._id, record]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** The newest hits with their scores. Search documents may be large, so they are not kept in memory. */
  private async scored(filter: MongoFilter<D>, score: Score, timeLimit: TimeLimit) {
    const newest = this.collection.find<Pick<Searchable, '_id' | 'search'>>(filter, {
      projection: { search: 1 },
      sort: { seq: -1 },
      limit: scoredHitsMax,
      ...limitsOf(timeLimit),
    });
    const hits: { readonly _id: string; readonly age: number; readonly score: number }[] = [];
    const turns = new Turns();
    for await (const { _id, search } of newest) {
      hits.push({ _id, age: hits.length, score: score(search, () => checkTimeLimit(timeLimit)) });
      await turns.between();
    }
    return hits;
  }

  private read(
    filter: MongoFilter<D>,
    window: { readonly skip?: number; readonly limit: number },
    timeLimit: TimeLimit,
  ): Promise<R[]> {
    const { projection } = this;
    return guarded(() =>
      this.collection
        .find<R>(filter, { projection, sort: { seq: -1 }, ...window, ...limitsOf(timeLimit) })
        .toArray(),
    );
  }

  private countOf(filter: MongoFilter<D>, timeLimit: TimeLimit, limit?: number): Promise<number> {
    const options = { ...limitsOf(timeLimit), ...(limit !== undefined && { limit }) };
    return guarded(() => this.collection.countDocuments(filter, options));
  }
}

async function unlessCutShort<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isCutShort(error)) return undefined;
    throw error;
  }
}

/** True if the filter matches only documents that have a search document. */
export function asksForSearch(filter: Filter): boolean {
  return Object.entries(filter).some(([key, value]) => {
    if (key === '$and') return (value as Filter[]).some(asksForSearch);
    if (key === '$or') return (value as Filter[]).every(asksForSearch);
    return key !== '$nor';
  });
}

/** The excluded part of a filter that only excludes, otherwise undefined. */
function excludedBy(filter: Filter): Filter | undefined {
  const { $nor: excluded, ...rest } = filter as { readonly $nor?: readonly Filter[] };
  if (!excluded || Object.keys(rest).length > 0 || !excluded.every(asksForSearch)) return undefined;
  return excluded.length === 1 ? excluded[0] : { $or: excluded };
}
