import {
  failingReceiptsMax,
  type FailingReceipt,
  type listFailingReceipts as contract,
  type ReturnedReceipt,
} from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { Attempts, Turns, type SearchLimiter } from '@receipts/search';
import { compile, parseQuery } from '@receipts/search-language';
import { parsedChecks } from '../domain/checks';
import { searchFieldsOf } from '../domain/receipt-search';
import type { Parts } from './parts';
import { visibleTo } from './visible-to';

function summaryOf(text: string): FailingReceipt {
  const receipt = JSON.parse(text) as ReturnedReceipt;
  const { id, transaction_id, localtime, store_reference, till_uuid, total } = receipt;
  return {
    ...{ id, transaction_id, localtime, store_reference, till_uuid, total },
    checks: parsedChecks(receipt),
    store_name: receipt.store.name,
    currency: receipt.l10n.currency,
  };
}

/**
 * Lists receipts that do not add up, newest first, within the limits of searches: it reads up to hundreds of receipts in
 * many round trips, and compares the sums of each. When the time is up, the list ends before it is complete.
 */
export function listFailingReceipts(
  parts: Pick<Parts, 'search' | 'stores' | 'findRetailer'>,
  limiter: SearchLimiter,
): Handler<typeof contract> {
  const { search, findRetailer } = parts;
  return async ({ body: { code = '*', query } }, call) => {
    const retailer = await findRetailer(call);
    const compiled = await compile(parseQuery(`+checks:${code} ${query}`), searchFieldsOf(retailer), {
      operator: retailer.settings.search_default_operator,
      hasConsumer: call.consumers !== undefined,
      words: async () => [],
    });
    const scope = { retailer: call.retailer, ...visibleTo(parts, call) };
    return limiter.run(call, async (timeLimit) => {
      const receipts: FailingReceipt[] = [];
      const turns = new Turns();
      const read = async () => {
        for await (const { text } of search.newest(scope, compiled, failingReceiptsMax + 1, timeLimit)) {
          receipts.push(summaryOf(text));
          await turns.between();
        }
        return receipts.length <= failingReceiptsMax;
      };
      const attempts = new Attempts();
      const isComplete = (await attempts.run(read())) ?? false;
      if (receipts.length === 0) attempts.check();
      return { body: { receipts: receipts.slice(0, failingReceiptsMax), is_complete: isComplete } };
    });
  };
}
