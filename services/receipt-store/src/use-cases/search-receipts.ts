import type { searchReceipts as contract } from '@receipts/contracts';
import type { Handler, TimeLimit } from '@receipts/kernel';
import {
  bothOf,
  compile,
  explainQuery,
  parseQuery,
  transactionIdCode,
  type CompileOptions,
  type EvaluateOptions,
  type FieldCatalogue,
  type FindWords,
  type Query,
} from '@receipts/search-language';
import {
  Attempts,
  type SearchLimiter,
  type HitsRelation,
  type Scope,
  type SearchPage,
} from '@receipts/search';
import { searchFieldsOf } from '../domain/receipt-search';
import type { SearchedReceipt } from '../storage/receipt-search';
import type { StoreDirectory } from '../storage/directories';
import { explainHits } from './explain-hits';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

export interface Search extends SearchPage, TimeLimit {
  readonly query: Query;
  /** A further query that hits must match. */
  readonly within?: Query;
  readonly fields: FieldCatalogue;
  readonly scope: Scope;
  readonly options: EvaluateOptions;
}

interface Found {
  readonly hits: number;
  readonly relation: HitsRelation;
  readonly receipts: readonly SearchedReceipt[];
  readonly options: EvaluateOptions;
}

/** Finds similar words, and remembers whether all of them were found in time. */
export class SimilarWords {
  areComplete = true;

  constructor(
    private readonly deps: Pick<Dependencies, 'search' | 'vocabulary'>,
    private readonly scope: Scope,
    private readonly limit: TimeLimit,
    private readonly attempts = new Attempts(),
  ) {}

  readonly find: FindWords = async (code, word, editsMax, countMax) => {
    const { search, vocabulary } = this.deps;
    const similar =
      code === transactionIdCode
        ? search.similarTransactionIds(this.scope, word, editsMax, this.limit)
        : vocabulary.similar(
            { retailer: this.scope.retailer, code },
            word,
            { editsMax, countMax },
            this.limit,
          );
    const words = await this.attempts.run(similar);
    this.areComplete &&= words !== undefined;
    return words ?? [];
  };
}

/** A page of the receipts that match a query, and the number of matches. */
export async function findReceipts(deps: Dependencies, asked: Search): Promise<Found> {
  const { query, within, fields, scope, options } = asked;
  const similar = new SimilarWords(deps, scope, asked);
  const compileOptions: CompileOptions = { ...options, words: similar.find };
  const own = await compile(query, fields, compileOptions);
  const compiled = within ? bothOf(own, await compile(within, fields, compileOptions)) : own;
  const { hits, relation, records: receipts } = await deps.search.find(scope, compiled, asked, asked);
  return {
    hits,
    relation: similar.areComplete ? relation : 'at_least',
    receipts,
    options: { ...options, expansions: compiled.expansions },
  };
}

/** How the query was parsed, and which of its parts each hit matches. */
async function explained(stores: StoreDirectory, asked: Search, { receipts, options }: Found) {
  const { query, fields, scope } = asked;
  const found = { retailer: scope.retailer, query, fields, options, receipts };
  return {
    query: explainQuery(query, fields, options),
    hits: await explainHits(stores, found, asked),
  };
}

/** Searches receipts. */
export function searchReceipts(deps: Dependencies, limiter: SearchLimiter): Handler<typeof contract> {
  return async ({ query: asked }, call) => {
    const begun = performance.now();
    const query = parseQuery(asked.query);
    const retailer = await deps.findRetailer(call);
    const visible = visibleTo(deps, call, { consumers: asked.consumer });
    const { found, explain } = await limiter.run(call, async ({ deadline }) => {
      const search = {
        query,
        fields: searchFieldsOf(retailer),
        scope: { retailer: call.retailer, ...visible },
        options: {
          operator: retailer.settings.search_default_operator,
          hasConsumer: visible.consumers !== undefined,
        },
        offset: asked.offset,
        count: asked.count,
        deadline,
      };
      const found = await findReceipts(deps, search);
      return { found, explain: asked.explain ? await explained(deps.stores, search, found) : undefined };
    });
    const receipts = found.receipts.map(({ text }) => text).join(',');
    const explanation = explain ? `,"explain":${JSON.stringify(explain)}` : '';
    const time = Math.round(performance.now() - begun);
    return {
      body: Buffer.from(
        `{"hits":${found.hits},"hits_relation":"${found.relation}","receipts":[${receipts}],"time":${time}${explanation}}`,
      ),
    };
  };
}
