import { deletedShare, type Deletion } from '../domain/receipt-share';
import type { Shares } from '../storage/shares';

const batchBudgetMs = 10_000;

/** Removes deleted receipts from the summaries. Rewards that were issued for them stay. */
export function onReceiptDeleted(deps: { shares: Shares }) {
  return async (events: readonly Deletion[]): Promise<void> => {
    await deps.shares.keep(events.map(deletedShare), AbortSignal.timeout(batchBudgetMs));
  };
}
