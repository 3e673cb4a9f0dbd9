import { tooManySearches, type identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { Attempts, SearchLimiter } from '@receipts/search';
import { compile, identifierFields, parseQuery } from '@receipts/search-language';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import type { Dependencies } from './dependencies';

/** Searches identifiers. Credentials restricted to consumers find only those consumers. */
export function searchIdentifiers(
  deps: Dependencies,
): Handler<(typeof identifierContracts)['searchIdentifiers']> {
  const { search, vocabulary, retailers, contributions } = deps;
  const limiter = new SearchLimiter(tooManySearches);
  return async ({ query: asked }, call) => {
    const begun = performance.now();
    const { retailer, consumers } = call;
    const query = parseQuery(asked.query);
    const { settings } = await retailers.need(retailer, call);
    const found = await limiter.run(call, async (timeLimit) => {
      const attempts = new Attempts();
      let areWordsComplete = true;
      const compiled = await compile(query, identifierFields, {
        operator: settings.search_default_operator,
        words: async (code, word, editsMax, countMax) => {
          const similar = vocabulary.similar({ retailer, code }, word, { editsMax, countMax }, timeLimit);
          const words = await attempts.run(similar);
          areWordsComplete &&= words !== undefined;
          return words ?? [];
        },
      });
      const found = await search.find({ retailer, consumers }, compiled, asked, timeLimit);
      return areWordsComplete ? found : { ...found, relation: 'at_least' as const };
    });
    const names = found.records.map(({ identifier }) => identifier);
    const totals = await contributions.totals(retailer, names, deadlineSignal(call));
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
