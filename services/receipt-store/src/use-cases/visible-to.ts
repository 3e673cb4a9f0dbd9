import { unknownStore } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { storeKeysOfReferences } from '../domain/store-reference';
import { visibleAmong, type Visible } from '../domain/visible-receipts';
import { namesOf, type StoreDirectory } from '../storage/directories';

/** The consumers and stores that a request names. */
interface NamedFilters {
  readonly consumers?: readonly string[] | undefined;
  /** The references of stores. */
  readonly stores?: readonly string[] | undefined;
}

/** The receipts that a caller may see, of those that the request names. */
export function visibleTo(
  { stores }: { readonly stores: StoreDirectory },
  call: Pick<Call, 'retailer' | 'consumers' | 'stores'>,
  asked: NamedFilters = {},
): Visible {
  const names = namesOf(stores, call.retailer);
  const keysOf = (references: readonly string[] | undefined) =>
    references && storeKeysOfReferences(references, names);
  return {
    consumers: visibleAmong(call.consumers, asked.consumers),
    storeKeys: visibleAmong(keysOf(call.stores), keysOf(asked.stores)),
  };
}

/**
 * Other stores do not exist for a caller who is restricted to stores.
 * @param key of the store for which something is created, see `storeKey`
 * @throws ServiceError 422 `store_not_found`
 */
export function checkStore(key: string, { storeKeys }: Pick<Visible, 'storeKeys'>): void {
  if (storeKeys && !storeKeys.includes(key)) throw new ServiceError(unknownStore);
}
