import type { ReturnedReceipt } from '@receipts/contracts';
import {
  explainHit,
  type EvaluateOptions,
  type ExplainedSpan,
  type FieldCatalogue,
  type Query,
} from '@receipts/search-language';
import type { TimeLimit } from '@receipts/kernel';
import { searchableReceipt } from '../domain/receipt-search';
import type { SearchedReceipt } from '../storage/receipt-search';
import { checkTimeLimit, SearchTimeout, Turns } from '@receipts/search';
import { storeOfKey, type StoreDirectory } from '../storage/directories';

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

/**
 * Determines which parts of the query each hit matches. When the time limit is reached, the remaining hits are omitted.
 */
export async function explainHits(
  stores: StoreDirectory,
  { retailer, query, fields, options, receipts }: FoundReceipts,
  timeLimit: TimeLimit,
): Promise<readonly ExplainedHit[]> {
  const onCondition = () => checkTimeLimit(timeLimit);
  const hits: ExplainedHit[] = [];
  const turns = new Turns();
  try {
    for (const { _id, text, store_key } of receipts) {
      const store = storeOfKey(stores, retailer, store_key);
      const record = searchableReceipt(JSON.parse(text) as ReturnedReceipt, store);
      hits.push({ id: _id, matched: explainHit(query, fields, record, { ...options, onCondition }) });
      await turns.between();
    }
  } catch (error) {
    if (!(error instanceof SearchTimeout)) throw error;
  }
  return hits;
}
