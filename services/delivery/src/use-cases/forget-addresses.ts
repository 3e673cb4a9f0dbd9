import type { deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Deliveries } from '../storage/deliveries';

/** A consumer wants to be forgotten: nobody need know any more where their receipts went. */
export function forgetAddresses(parts: {
  deliveries: Deliveries;
  now: () => Date;
}): Handler<(typeof deliveryContracts)['forgetAddresses']> {
  return async ({ body: { receipts } }, call) => {
    await parts.deliveries.forgetAddresses(call.retailer, receipts, parts.now(), deadlineSignal(call));
    return {};
  };
}
