import type { Totals } from './identifier';
import type { ReceiptContribution } from './receipt-contribution';

/** The totals after adding further receipts. */
export function addContributions(
  totals: readonly Totals[],
  contributions: readonly ReceiptContribution[],
): Totals[] {
  const byCurrency = new Map(totals.map((one) => [one.currency, one]));
  for (const { counted, total, currency, timestamp } of contributions) {
    if (!counted) continue;
    const known = byCurrency.get(currency);
    byCurrency.set(currency, {
      currency,
      receipts: (known?.receipts ?? 0) + 1,
      total: (known?.total ?? 0) + total,
      first: known && known.first < timestamp ? known.first : timestamp,
      last: known && known.last > timestamp ? known.last : timestamp,
    });
  }
  return [...byCurrency.values()];
}
