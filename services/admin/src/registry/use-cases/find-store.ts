import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';

export function findStore(deps: Registry): Endpoint<'findStore'> {
  return async ({ body }, call) => {
    const store = await deps.stores.find(call.retailer, body.reference, deadlineSignal(call));
    return { body: { store: store ?? null } };
  };
}
