import type { receiptStoreContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { eventOfItem } from '@receipts/storage';
import type { ChangedReceipts } from '../storage/changed-receipts';
import { republishedEvents } from '../storage/published-events';

export function republishEvents(
  changed: Pick<ChangedReceipts, 'withPublished'>,
): Handler<(typeof receiptStoreContracts)['republishEvents']> {
  return async ({ body: { ids } }, call) => {
    const found = await changed.withPublished(call.retailer, ids, call);
    const texts = found.flatMap((receipt) => {
      const again = republishedEvents(receipt);
      const ids = new Set(again.map(({ id }) => id));
      // For a deleted receipt, only events that are waiting to be published still have content.
      const pending = (receipt.outbox ?? []).filter(({ isInternal }) => !isInternal).map(eventOfItem);
      return [...again, ...pending.filter(({ id }) => !ids.has(id))].map(({ text }) => text);
    });
    return { body: Buffer.from(`{"events":[${texts.join(',')}]}`) };
  };
}
