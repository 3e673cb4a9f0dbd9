import type { countReceipts as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { parseQuery } from '@receipts/search-language';
import type { SearchLimiter } from '@receipts/search';
import { searchFieldsOf } from '../domain/receipt-search';
import type { Dependencies } from './dependencies';
import { findReceipts } from './search-receipts';
import { visibleTo } from './visible-to';

/** Counts receipts within the limits of searches. */
export function countReceipts(deps: Dependencies, limiter: SearchLimiter): Handler<typeof contract> {
  return async ({ body: { query, since } }, call) => {
    const begun = performance.now();
    const within = parseQuery(`timestamp:[${since} TO *]`);
    const asked = query.trim() === '' ? within : parseQuery(query);
    const retailer = await deps.findRetailer(call);
    const { hits, relation } = await limiter.run(call, async ({ deadline }) =>
      findReceipts(deps, {
        query: asked,
        within,
        deadline,
        offset: 0,
        count: 1,
        fields: searchFieldsOf(retailer),
        scope: { retailer: call.retailer, ...visibleTo(deps, call) },
        options: {
          operator: retailer.settings.search_default_operator,
          hasConsumer: call.consumers !== undefined,
        },
      }),
    );
    return { body: { hits, hits_relation: relation, time: Math.round(performance.now() - begun) } };
  };
}
