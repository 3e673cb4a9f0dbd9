import type { Totals } from './identifier';
import type { ReceiptShare } from './receipt-share';

/** The totals with further receipts added. */
export function withShares(totals: readonly Totals[], shares: readonly ReceiptShare[]): Totals[] {
  const byCurrency = new Map(totals.map((one) => [one.currency, one]));
  for (const { counted, total, currency, timestamp } of shares) {
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
