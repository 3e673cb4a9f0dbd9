import { printSale, type Sale } from './sale';

/** A change in a receipt's contribution to the totals, before it has a number. */
export interface UnnumberedChange {
  /** The receipt's version after the change. */
  readonly version: number;
  readonly before: string | null;
  readonly after: string | null;
}

/** The history of a receipt, as far as it affects the totals. */
export interface SaleHistory {
  /** The contribution of the receipt on arrival, see `printSale`. */
  readonly first: string;
  /** Changes that `TotalsChanges` has not numbered yet, oldest first. */
  readonly pending?: readonly UnnumberedChange[];
}

const textOf = (sale: Sale | undefined) => (sale ? printSale(sale) : null);

/**
 * The history after a change.
 * @param version the receipt's version after the change
 * @returns the same history if the totals do not change
 */
export function historyAfter(
  history: SaleHistory | undefined,
  before: Sale | undefined,
  after: Sale | undefined,
  version: number,
): SaleHistory | undefined {
  const change = { version, before: textOf(before), after: textOf(after) };
  if (change.before === change.after || change.before === null) return history;
  return { first: history?.first ?? change.before, pending: [...(history?.pending ?? []), change] };
}
