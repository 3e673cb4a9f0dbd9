import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Stores } from '../storage/stores';

export function findStore(deps: { stores: Stores }): Handler<(typeof adminContracts)['findStore']> {
  return async ({ body }, call) => {
    const store = await deps.stores.find(call.retailer, body.reference, deadlineSignal(call));
    return { body: { store: store ?? null } };
  };
}
