import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { waitingGroups } from '../domain/waiting-groups';
import type { Deliveries } from '../storage/deliveries';

const scanMax = 10_000;

/** Lists the pending deliveries of all retailers for the operator. */
export function listWaitingDeliveries({
  deliveries,
}: {
  readonly deliveries: Deliveries;
}): HandlerOf<'listWaitingDeliveries'> {
  return async (_input, call) => {
    const waiting = await deliveries.waiting(scanMax + 1, deadlineSignal(call));
    const groups = waitingGroups(waiting.slice(0, scanMax)).map((group) => ({
      retailer: group.retailer,
      channel: group.channel,
      reason: group.reason,
      deliveries: group.deliveries,
      attempts: group.attempts,
      oldest_timestamp: timestampOf(group.requestedAt),
      next_attempt_timestamp: timestampOf(group.dueAt),
      oldest_receipt: group.receiptId,
    }));
    return { body: { groups, is_complete: waiting.length <= scanMax } };
  };
}
