import { deletedShare, type Deletion } from '../domain/receipt-share';
import type { Shares } from '../storage/shares';

const batchBudgetMs = 10_000;

/** A receipt that is deleted counts nowhere any more. Rewards that were issued for it stay. */
export function onReceiptDeleted(deps: { shares: Shares }) {
  return async (events: readonly Deletion[]): Promise<void> => {
    await deps.shares.keep(events.map(deletedShare), AbortSignal.timeout(batchBudgetMs));
  };
}
