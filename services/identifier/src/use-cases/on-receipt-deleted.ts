import type { receiptDeleted } from '@receipts/contracts';
import type { EventOf } from '@receipts/kernel';
import { deletedShare } from '../domain/receipt-share';
import type { Shares } from '../storage/shares';

const batchBudgetMs = 10_000;

/** A receipt that is deleted counts nowhere any more. Rewards that were issued for it stay. */
export function onReceiptDeleted(deps: { shares: Shares }) {
  return async (events: readonly EventOf<typeof receiptDeleted>[]): Promise<void> => {
    await deps.shares.keep(events.map(deletedShare), AbortSignal.timeout(batchBudgetMs));
  };
}
