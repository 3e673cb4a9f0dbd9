import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';
import { retailerOf } from '../domain/retailer';

export function findRetailer(deps: Registry): Endpoint<'findRetailer'> {
  return async ({ body }, call) => {
    const found = await deps.retailers.find(body.id, deadlineSignal(call));
    return { body: { retailer: found ? retailerOf(found) : null } };
  };
}
