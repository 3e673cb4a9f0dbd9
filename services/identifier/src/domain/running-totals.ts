import { decimalOf, plus, printDecimal, readDecimal, times, type Decimal } from '@receipts/kernel';
import type { Totals } from './identifier';
import type { ReceiptContribution } from './receipt-contribution';

type Sum = Omit<Totals, 'total'> & { readonly total: Decimal };

/** Receipts of one consumer with the same currency and the same total. */
export interface EqualReceipts extends Omit<Totals, 'total'> {
  /** The total of each. */
  readonly total: number;
}

const sumOf = ({ total, ...rest }: EqualReceipts): Sum => ({
  ...rest,
  total: times(decimalOf(total), decimalOf(rest.receipts)),
});

/** Adds up totals by currency, exactly. */
function addUp(sums: readonly Sum[]): Totals[] {
  const byCurrency = new Map<string, Sum>();
  for (const sum of sums) {
    const known = byCurrency.get(sum.currency);
    byCurrency.set(
      sum.currency,
      known
        ? {
            currency: sum.currency,
            receipts: known.receipts + sum.receipts,
            total: plus(known.total, sum.total),
            first: known.first < sum.first ? known.first : sum.first,
            last: known.last > sum.last ? known.last : sum.last,
          }
        : sum,
    );
  }
  return [...byCurrency.values()].map((sum) => ({ ...sum, total: printDecimal(sum.total) }));
}

/** The totals of receipts. */
export const totalsOf = (receipts: readonly EqualReceipts[]): Totals[] => addUp(receipts.map(sumOf));

/** The totals after adding further receipts. */
export function addContributions(
  totals: readonly Totals[],
  contributions: readonly ReceiptContribution[],
): Totals[] {
  const counted = contributions.filter((contribution) => contribution.counted);
  return addUp([
    ...totals.map((one) => ({ ...one, total: readDecimal(one.total) })),
    ...counted.map(({ total, currency, timestamp }) =>
      sumOf({ receipts: 1, total, currency, first: timestamp, last: timestamp }),
    ),
  ]);
}
