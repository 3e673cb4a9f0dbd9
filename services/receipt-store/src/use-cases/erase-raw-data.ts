import type { eraseRawData as contract } from '@receipts/contracts';
import { delegatedCall, type Handler } from '@receipts/kernel';
import { discardUnneededRawData } from './discard-unneeded-raw-data';
import type { Dependencies } from './dependencies';

/** Removes an erased consumer from the packets that were posted with the consumer's identifier. */
export function eraseRawData(deps: Dependencies): Handler<typeof contract> {
  return async ({ body: selection }, call) => {
    for (;;) {
      const inner = delegatedCall('receipt-store', call, deps.now().getTime());
      const erased = await discardUnneededRawData(deps, { selection, anonymizes: true }, inner);
      const { count, isDeleted, isComplete } = erased;
      if (count === 0 || !isDeleted) return { body: { is_complete: isComplete } };
    }
  };
}
