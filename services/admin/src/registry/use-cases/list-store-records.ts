import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';

export function listStoreRecords(deps: Registry): HandlerOf<'listStoreRecords'> {
  return async ({ body }, call) => {
    const { records, next } = await deps.stores.snapshot(body.after, body.count, deadlineSignal(call));
    return { body: { stores: records, next } };
  };
}
