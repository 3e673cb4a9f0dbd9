import type { Retailer } from '@receipts/contracts';
import { ServiceError, unavailable } from '@receipts/kernel';
import { searchOf } from '../domain/receipt-search';
import { storeIdOf } from '../domain/store-reference';
import type { ReceiptChange } from '../storage/receipt-changes';
import { storeOfKey, type StoreDirectory } from '../storage/directories';

/**
 * Computes the search document after a change, with the names of the store.
 * @throws ServiceError 503 (from the returned function) if the store is missing from the local copy, for example in a
 * process that has not loaded the stores yet, because the receipt could then no longer be found by its store
 */
export function searchOfChanged(stores: StoreDirectory, retailer: Retailer): ReceiptChange['searchOf'] {
  return (receipt, text, storeKey) => {
    const store = storeOfKey(stores, retailer.id, storeKey);
    if (!store && storeIdOf(storeKey) !== undefined) {
      throw new ServiceError(unavailable, { internal: 'the store of the receipt is unknown' });
    }
    return searchOf(retailer, receipt, store, text.length);
  };
}
