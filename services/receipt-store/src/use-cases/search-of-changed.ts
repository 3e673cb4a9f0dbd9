import type { Retailer } from '@receipts/contracts';
import { ServiceError, unavailable } from '@receipts/kernel';
import { searchOf } from '../domain/receipt-search';
import { isKnownStore } from '../domain/store-reference';
import type { ReceiptChange } from '../storage/receipt-changes';
import { storeOfKey, type StoreDirectory } from '../storage/store-directory';

/**
 * Makes what a receipt is found by after a change, with the names of its store.
 * @throws ServiceError 503 (from the function that it gives) when the store is not known here, as in a copy of the service
 * that has never been told of the stores: the receipt would not be found by its store any more
 */
export function searchOfChanged(stores: StoreDirectory, retailer: Retailer): ReceiptChange['searchOf'] {
  return (receipt, text, storeKey) => {
    const store = storeOfKey(stores, retailer.id, storeKey);
    if (!store && isKnownStore(storeKey)) {
      throw new ServiceError(unavailable, { internal: 'the store of the receipt is not known here' });
    }
    return searchOf(retailer, receipt, store, text.length);
  };
}
