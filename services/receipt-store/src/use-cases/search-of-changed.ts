import type { Retailer } from '@receipts/contracts';
import { ServiceError, unavailable } from '@receipts/kernel';
import { searchInTurns } from '../domain/receipt-search';
import { storeIdOf } from '../domain/store-reference';
import { itemsBudget } from './items-budget';
import type { ReceiptChange } from '../storage/receipt-changes';
import { storeOfKey, type StoreDirectory } from '../storage/directories';

/**
 * Computes the search document after a change, with the names of the store.
 * @throws ServiceError 503 (in the promise of the returned function) if the store is missing from the local copy, for example in a
 * process that has not loaded the stores yet, because the receipt could then no longer be found by its store
 */
export function searchOfChanged(stores: StoreDirectory, retailer: Retailer): ReceiptChange['searchOf'] {
  return async (receipt, text, storeKey) => {
    const store = storeOfKey(stores, retailer.id, storeKey);
    if (!store && storeIdOf(storeKey) !== undefined) {
      throw new ServiceError(unavailable, { internal: 'the store of the receipt is unknown' });
    }
    return searchInTurns(retailer, receipt, store, { textLength: text.length, budget: itemsBudget });
  };
}
