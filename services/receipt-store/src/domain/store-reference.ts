import { canonicalReference, storeNamed, type StoreNames, type StoreRecord } from '@receipts/contracts';
import { keyOfStoreId } from '@receipts/search-language';

/** The key by which receipts from a store are found: its id, or the posted name if the store was unknown. */
export function storeKey(reference: string | number, store: Pick<StoreRecord, 'id'> | undefined): string {
  return store ? keyOfStoreId(store.id) : `ref:${canonicalReference(String(reference))}`;
}

const knownStorePattern = /^id:.(\d+)$/;

/** The id of the store in a key; undefined if the store was unknown when the receipt arrived. */
export function storeIdOf(key: string): string | undefined {
  return knownStorePattern.exec(key)?.[1];
}

/**
 * The keys of all receipts from the stores in a filter. Receipts that arrived before their store was known have the
 * posted name as their key, so the names of known stores are included.
 */
export function storeKeysOfReferences(
  references: readonly string[],
  names: StoreNames<StoreRecord>,
): string[] {
  const keys = references.flatMap((reference) => {
    const store = storeNamed(reference, names);
    if (!store) return [storeKey(reference, undefined)];
    const { external_reference: external } = store;
    return [
      storeKey(reference, store),
      storeKey(reference, undefined),
      storeKey(store.reference, undefined),
      ...(external === null ? [] : [storeKey(external, undefined)]),
    ];
  });
  return [...new Set(keys)];
}
