import { deadlineSignal } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import type { Deliveries } from '../storage/deliveries';

/** Returns those of the receipts that were sent. */
export function listSentReceipts({
  deliveries,
}: {
  readonly deliveries: Deliveries;
}): Endpoint<'listSentReceipts'> {
  return async ({ body: { receipts } }, call) => ({
    body: { sent: await deliveries.sentAmong(call.retailer, receipts, deadlineSignal(call)) },
  });
}
