import type { StoreRecord } from '@receipts/contracts';

/** Finds a retailer's store by one of its two names. */
export interface StoreNames {
  byReference(reference: number): StoreRecord | undefined;
  byExternalReference(externalReference: string): StoreRecord | undefined;
}

const digitsPattern = /^\d{1,15}$/;

/**
 * The store that a `store_reference` names: a text that equals an external reference wins, else digits are the reference,
 * with or without leading zeros. A number is a reference and nothing else.
 */
export function storeNamed(reference: string | number, names: StoreNames): StoreRecord | undefined {
  if (typeof reference === 'number') return names.byReference(reference);
  const store = names.byExternalReference(reference);
  if (store || !digitsPattern.test(reference)) return store;
  return names.byReference(Number(reference));
}

function canonical(reference: string): string {
  return digitsPattern.test(reference) ? String(Number(reference)) : reference;
}

const keyOfKnown = 'id:';

/** What a receipt is found by when somebody asks for a store: the store, or the name under which nobody knew it. */
export function storeKey(reference: string | number, store: Pick<StoreRecord, 'id'> | undefined): string {
  return store ? `${keyOfKnown}${store.id}` : `ref:${canonical(String(reference))}`;
}

/** True for the key of a receipt whose store was known when it arrived. */
export function isKnownStore(key: string): boolean {
  return key.startsWith(keyOfKnown);
}

/**
 * The keys of all receipts of the stores that a filter names. A receipt that came before its store was known has the name
 * for a key, so each name of a known store is sought as well.
 */
export function storeKeysOfReferences(references: readonly string[], names: StoreNames): string[] {
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
