/** The receipts that a caller may see. A restriction that does not apply is absent. */
export interface Visible {
  readonly consumers?: readonly string[] | undefined;
  /** See `storeKey`. */
  readonly storeKeys?: readonly string[] | undefined;
}

/**
 * The consumers or stores whose receipts a caller may see: those to which it is restricted, those in the request, or the
 * intersection of both. Undefined if the caller may see all.
 */
export function visibleAmong(
  confined: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  if (confined === undefined || asked === undefined) return confined ?? asked;
  const allowed = new Set(confined);
  return asked.filter((each) => allowed.has(each));
}

/** Whether a caller may see a receipt. */
export function isVisible(
  receipt: { readonly identifier?: string | null | undefined; readonly store_key: string },
  { consumers, storeKeys }: Visible,
): boolean {
  const { identifier = null, store_key: storeKey } = receipt;
  const isConsumers = !consumers || (identifier !== null && consumers.includes(identifier));
  return isConsumers && (!storeKeys || storeKeys.includes(storeKey));
}
