import type { rebuildTotals as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { TotalsRebuild } from '../storage/totals-rebuild';

/** Rebuilds the totals of all retailers, for the operator. */
export function rebuildTotals(rebuild: Pick<TotalsRebuild, 'request'>): Handler<typeof contract> {
  return async (_input, call) => {
    await rebuild.request(call.id);
    return {};
  };
}
