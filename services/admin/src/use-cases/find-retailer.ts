import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { retailerOf } from '../domain/retailer';
import type { Retailers } from '../storage/retailers';

export function findRetailer(deps: {
  retailers: Retailers;
}): Handler<(typeof adminContracts)['findRetailer']> {
  return async ({ body }, call) => {
    const found = await deps.retailers.find(body.id, deadlineSignal(call));
    return { body: { retailer: found ? retailerOf(found) : null } };
  };
}
