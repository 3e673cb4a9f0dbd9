import { tooManySearches, type ReturnedReceipt, type searchReceipts as contract } from '@receipts/contracts';
import { remainingMs, type Handler } from '@receipts/kernel';
import {
  compile,
  explainHit,
  explainQuery,
  parseQuery,
  rankingTiers,
  type EvaluateOptions,
  type FieldCatalogue,
  type Query,
} from '@receipts/search-language';
import { searchableReceipt, searchFieldsOf } from '../domain/receipt-search';
import { visibleConsumers } from '../domain/visible-consumers';
import type { ReceiptSearch, SearchedReceipt, SearchPage, SearchScope } from '../storage/receipt-search';
import { storeOfKey, type StoreDirectory } from '../storage/store-directory';
import type { Vocabulary } from '../storage/vocabulary';
import type { FindRetailer } from './find-retailer';
import { SearchSlots } from './search-slots';

export interface SearchReceiptsParts {
  readonly search: ReceiptSearch;
  readonly vocabulary: Vocabulary;
  readonly stores: StoreDirectory;
  readonly findRetailer: FindRetailer;
}

/** What all looks into the database of one search may take together. */
const searchBudgetMs = 1_900;
const limits = { runningMax: 4, waitingMax: 32, refusal: tooManySearches };

interface Search extends SearchPage {
  readonly query: Query;
  readonly fields: FieldCatalogue;
  readonly scope: SearchScope;
  readonly options: EvaluateOptions;
  readonly deadline: number;
}

interface Found {
  readonly hits: number;
  readonly receipts: readonly SearchedReceipt[];
  readonly options: EvaluateOptions;
}

async function find({ search, vocabulary }: SearchReceiptsParts, asked: Search): Promise<Found> {
  const { query, fields, scope, options, deadline } = asked;
  const patience = { deadline };
  const compiled = await compile(query, fields, {
    ...options,
    words: (code, word, editsMax, countMax) =>
      vocabulary.similar(scope.retailer, code, word, editsMax, countMax, patience),
  });
  const hits = await search.count(scope, compiled.filter, patience);
  const receipts =
    hits <= asked.offset
      ? []
      : await search.page(scope, rankingTiers(compiled), compiled.filter, asked, patience);
  return { hits, receipts, options: { ...options, expansions: compiled.expansions } };
}

/** How the query was understood, and which of its parts each hit meets. */
function explained(stores: StoreDirectory, { query, fields, scope, options }: Search, found: Found) {
  return {
    query: explainQuery(query, fields, options),
    hits: found.receipts.map(({ _id, text, store_key }) => {
      const store = storeOfKey(stores, scope.retailer, store_key);
      const record = searchableReceipt(JSON.parse(text) as ReturnedReceipt, store);
      return { id: _id, matched: explainHit(query, fields, record, found.options) };
    }),
  };
}

/** Finds receipts in the search language. */
export function searchReceipts(parts: SearchReceiptsParts): Handler<typeof contract> {
  const slots = new SearchSlots(limits);
  return async ({ query: asked }, call) => {
    const begun = performance.now();
    const query = parseQuery(asked.query);
    const retailer = await parts.findRetailer(call);
    const consumers = visibleConsumers(call.consumers, asked.consumer);
    const search = {
      query,
      fields: searchFieldsOf(retailer),
      scope: { retailer: call.retailer, consumers },
      options: {
        operator: retailer.settings.search_default_operator,
        hasConsumer: consumers !== undefined,
      },
      offset: asked.offset,
      count: asked.count,
    };
    const found = await slots.run(call.retailer, remainingMs(call, Date.now()), () =>
      find(parts, { ...search, deadline: Math.min(call.deadline, Date.now() + searchBudgetMs) }),
    );
    const receipts = found.receipts.map(({ text }) => text).join(',');
    const explain = asked.explain
      ? `,"explain":${JSON.stringify(explained(parts.stores, { ...search, deadline: 0 }, found))}`
      : '';
    const time = Math.round(performance.now() - begun);
    return {
      body: Buffer.from(`{"hits":${found.hits},"receipts":[${receipts}],"time":${time}${explain}}`),
    };
  };
}
