import { channels } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { masked } from '../domain/addresses';
import { stepsOf } from '../domain/availability';
import type { Deliveries } from '../storage/deliveries';
import { readReceipt } from '../../read-receipt';
import { gatherSituation, type SituationDependencies } from './gather-situation';

export function listDeliveries(
  deps: SituationDependencies & { deliveries: Deliveries },
): HandlerOf<'listDeliveries'> {
  return async ({ params, query: { consumer } }, call) => {
    // receipt-store decides whether the receipt exists, is pending, or may not be read by the caller.
    const receipt = await readReceipt({ id: params.id, consumer }, call, deps);
    const [found, situation] = await Promise.all([
      deps.deliveries.ofReceipt(call.retailer, params.id, deadlineSignal(call)),
      gatherSituation(receipt, {}, call, deps),
    ]);
    return {
      body: {
        deliveries: found.map((document) => ({
          id: document._id,
          channel: document.channel,
          address: masked(document.address),
          status: document.status,
          reason: document.reason,
          attempts: document.attempts,
          requested_timestamp: timestampOf(document.requestedAt),
          updated_timestamp: timestampOf(document.updatedAt),
          ...(document.deliveredAt && { delivered_timestamp: timestampOf(document.deliveredAt) }),
        })),
        explain: channels.flatMap((channel) => stepsOf(channel, situation)),
      },
    };
  };
}
