import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Stores } from '../storage/stores';

export function listStoreRecords(deps: {
  stores: Stores;
}): Handler<(typeof adminContracts)['listStoreRecords']> {
  return async ({ body }, call) => ({
    body: await deps.stores.snapshot(body.after, body.count, deadlineSignal(call)),
  });
}
