import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { retailerOf } from '../domain/retailer';
import type { Retailers } from '../storage/retailers';

export function listRetailers(deps: {
  retailers: Retailers;
}): Handler<(typeof adminContracts)['listRetailers']> {
  return async ({ body }, call) => {
    const { retailers, next } = await deps.retailers.snapshot(body.after, body.count, deadlineSignal(call));
    return { body: { retailers: retailers.map(retailerOf), next } };
  };
}
