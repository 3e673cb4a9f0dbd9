import { tooManySearches, type Retailer, type identifierContracts } from '@receipts/contracts';
import { remainingMs, Slots, type Handler } from '@receipts/kernel';
import type { Vocabulary } from '@receipts/search';
import { compile, identifierFields, parseQuery } from '@receipts/search-language';
import type { RecordCache } from '@receipts/messaging';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import type { IdentifierSearch } from '../storage/identifier-search';
import type { Shares } from '../storage/shares';

/** The total time of all database queries of one search. */
const searchBudgetMs = 1_900;
const limits = { runningMax: 4, waitingMax: 32, refusal: tooManySearches };

/** Searches identifiers. Credentials confined to consumers find these only. */
export function searchIdentifiers(deps: {
  search: IdentifierSearch;
  vocabulary: Vocabulary;
  retailers: RecordCache<Retailer>;
  shares: Shares;
}): Handler<(typeof identifierContracts)['searchIdentifiers']> {
  const { search, vocabulary, retailers, shares } = deps;
  const slots = new Slots(limits);
  return async ({ query: asked }, call) => {
    const begun = performance.now();
    const { retailer, consumers } = call;
    const query = parseQuery(asked.query);
    const { settings } = await retailers.find(retailer, call);
    const found = await slots.run(retailer, remainingMs(call, Date.now()), async () => {
      const timeLimit = { deadline: Math.min(call.deadline, Date.now() + searchBudgetMs) };
      const compiled = await compile(query, identifierFields, {
        operator: settings.search_default_operator,
        words: (code, word, editsMax, countMax) =>
          vocabulary.similar(retailer, code, word, editsMax, countMax, timeLimit),
      });
      return search.find(retailer, consumers, compiled, asked, timeLimit);
    });
    const names = found.records.map(({ identifier }) => identifier);
    const totals = await shares.totals(retailer, names, deadlineSignal(call));
    return {
      body: {
        hits: found.hits,
        hits_relation: found.relation,
        identifiers: found.records.map((record) => identifierOf(record, totals.get(record.identifier))),
        time: Math.round(performance.now() - begun),
      },
    };
  };
}
