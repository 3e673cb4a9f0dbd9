/** Looks up a retailer's stores by either of their two names. */
export interface StoreNames<S> {
  byReference(reference: number): S | undefined;
  byExternalReference(externalReference: string): S | undefined;
}

/** The longest reference that a number represents exactly. */
const digitsPattern = /^\d{1,15}$/;

/** A reference as a receipt may write it, without leading zeros; other texts are returned as they are. */
export const canonicalReference = (reference: string): string =>
  digitsPattern.test(reference) ? String(Number(reference)) : reference;

/**
 * The store that a `store_reference` refers to. A string is compared with external references first and, if it consists
 * of digits, then with references, ignoring leading zeros. A number is always a reference.
 */
export function storeNamed<S>(reference: string | number, names: StoreNames<S>): S | undefined {
  if (typeof reference === 'number') return names.byReference(reference);
  const store = names.byExternalReference(reference);
  if (store || !digitsPattern.test(reference)) return store;
  return names.byReference(Number(reference));
}
