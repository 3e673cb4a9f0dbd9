import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';

export function findStore(deps: Registry): HandlerOf<'findStore'> {
  return async ({ body }, call) => {
    const store = await deps.stores.find(call.retailer, body.reference, deadlineSignal(call));
    return { body: { store: store ?? null } };
  };
}
