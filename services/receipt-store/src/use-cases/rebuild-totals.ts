import type { rebuildTotals as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { TotalsRebuild } from '../storage/totals-rebuild';

/** Lets the operator rebuild the totals of all retailers. */
export function rebuildTotals(rebuild: Pick<TotalsRebuild, 'request'>): Handler<typeof contract> {
  return async (_input, call) => {
    await rebuild.request(call.id);
    return {};
  };
}
