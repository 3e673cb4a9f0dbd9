import {
  failingReceiptsMax,
  type FailingReceipt,
  type listFailingReceipts as contract,
  type ReturnedReceipt,
} from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { Turns } from '@receipts/search';
import { compile, parseQuery } from '@receipts/search-language';
import { failedChecksAsNumbers } from '../domain/checks';
import { searchFieldsOf } from '../domain/receipt-search';
import type { Parts } from './parts';

function summaryOf(text: string): FailingReceipt {
  const receipt = JSON.parse(text) as ReturnedReceipt;
  const { id, transaction_id, localtime, store_reference, till_uuid, total } = receipt;
  return {
    ...{ id, transaction_id, localtime, store_reference, till_uuid, total },
    checks: failedChecksAsNumbers(receipt),
    store_name: receipt.store.name,
    currency: receipt.l10n.currency,
  };
}

/** Lists receipts that do not add up, newest first. */
export function listFailingReceipts({ search, findRetailer }: Parts): Handler<typeof contract> {
  return async ({ body: { code = '*', query } }, call) => {
    const retailer = await findRetailer(call);
    const compiled = await compile(parseQuery(`+checks:${code} ${query}`), searchFieldsOf(retailer), {
      operator: retailer.settings.search_default_operator,
      hasConsumer: call.consumers !== undefined,
      words: async () => [],
    });
    const scope = { retailer: call.retailer, consumers: call.consumers };
    const receipts: FailingReceipt[] = [];
    const turns = new Turns();
    for await (const { text } of search.newest(scope, compiled, failingReceiptsMax + 1, call)) {
      receipts.push(summaryOf(text));
      await turns.between();
    }
    const isComplete = receipts.length <= failingReceiptsMax;
    return { body: { receipts: receipts.slice(0, failingReceiptsMax), is_complete: isComplete } };
  };
}
