import type { ReturnedReceipt } from '@receipts/contracts';
import { ServiceError, unavailable } from '@receipts/kernel';
import {
  explainHit,
  type EvaluateOptions,
  type ExplainedSpan,
  type FieldCatalogue,
  type Query,
} from '@receipts/search-language';
import { searchableReceipt } from '../domain/receipt-search';
import type { SearchedReceipt } from '../storage/receipt-search';
import { storeOfKey, type StoreDirectory } from '../storage/store-directory';

interface FoundReceipts {
  readonly retailer: string;
  readonly query: Query;
  readonly fields: FieldCatalogue;
  readonly options: EvaluateOptions;
  readonly receipts: readonly SearchedReceipt[];
}

interface ExplainedHit {
  readonly id: string;
  readonly matched: readonly ExplainedSpan[];
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Which parts of the query each hit meets. A receipt may be megabytes of text, so others get their turn between two of
 * them, and there is an end to it.
 * @param deadline epoch milliseconds
 * @throws ServiceError 503 when it takes too long
 */
export async function explainHits(
  stores: StoreDirectory,
  { retailer, query, fields, options, receipts }: FoundReceipts,
  deadline: number,
): Promise<readonly ExplainedHit[]> {
  const onCondition = () => {
    if (Date.now() < deadline) return;
    const headers = { 'retry-after': '1' };
    throw new ServiceError(unavailable, { headers, internal: 'the hits took too long to explain' });
  };
  const hits: ExplainedHit[] = [];
  for (const { _id, text, store_key } of receipts) {
    await turn();
    const store = storeOfKey(stores, retailer, store_key);
    const record = searchableReceipt(JSON.parse(text) as ReturnedReceipt, store);
    hits.push({ id: _id, matched: explainHit(query, fields, record, { ...options, onCondition }) });
  }
  return hits;
}
