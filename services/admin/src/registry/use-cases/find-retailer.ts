import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { retailerOf } from '../domain/retailer';

export function findRetailer(deps: Registry): HandlerOf<'findRetailer'> {
  return async ({ body }, call) => {
    const found = await deps.retailers.find(body.id, deadlineSignal(call));
    return { body: { retailer: found ? retailerOf(found) : null } };
  };
}
