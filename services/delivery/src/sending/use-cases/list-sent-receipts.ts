import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import type { Deliveries } from '../storage/deliveries';

/** Sorts receipts by what became of their deliveries: one that was sent counts, whatever became of others. */
export function listSentReceipts({
  deliveries,
}: {
  readonly deliveries: Pick<Deliveries, 'attempted'>;
}): HandlerOf<'listSentReceipts'> {
  return async ({ body: { receipts } }, call) => {
    const found = await deliveries.attempted(call.retailer, receipts, deadlineSignal(call));
    const having = (status: string) =>
      new Set(found.filter((delivery) => delivery.status === status).map(({ receiptId }) => receiptId));
    const [sent, pending, failed] = [having('sent'), having('pending'), having('failed')];
    return {
      body: {
        sent: [...sent],
        pending: [...pending].filter((id) => !sent.has(id)),
        failed: [...failed].filter((id) => !sent.has(id) && !pending.has(id)),
      },
    };
  };
}
