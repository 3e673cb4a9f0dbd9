import { deletedContribution, type Deletion } from '../domain/receipt-contribution';
import type { ReceiptContributions } from '../storage/receipt-contributions';

const batchBudgetMs = 10_000;

/** Removes deleted receipts from the summaries. Rewards that were issued for them remain. */
export function onReceiptDeleted(deps: { contributions: ReceiptContributions }) {
  return async (events: readonly Deletion[]): Promise<void> => {
    await deps.contributions.keep(events.map(deletedContribution), AbortSignal.timeout(batchBudgetMs));
  };
}
