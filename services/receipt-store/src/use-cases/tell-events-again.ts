import type { receiptStoreContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { ChangedReceipts } from '../storage/changed-receipts';
import { toldAgain } from '../storage/told-events';

export function tellEventsAgain(
  changed: Pick<ChangedReceipts, 'told'>,
): Handler<(typeof receiptStoreContracts)['tellEventsAgain']> {
  return async ({ body: { ids } }, call) => {
    const found = await changed.told(call.retailer, ids, call);
    const texts = found.flatMap(toldAgain).map(({ text }) => text);
    return { body: Buffer.from(`{"events":[${texts.join(',')}]}`) };
  };
}
