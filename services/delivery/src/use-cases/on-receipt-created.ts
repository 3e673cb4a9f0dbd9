import type { receiptRecorded } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import { ownCall, type Call, type EventOf } from '@receipts/kernel';
import { addressFor, deliverable } from '../domain/addresses';
import { autoSendOf } from '../domain/auto-send';
import { availableChannels, hasOptedOut } from '../domain/availability';
import type { NewDelivery } from '../storage/deliveries';
import { deliveryEvent } from './delivery-events';
import { gatherSituation } from './gather-situation';
import type { SendParts } from './send-receipt';

export type Recorded = EventOf<typeof receiptRecorded>;

const askTimeoutMs = 5_000;

/**
 * Sends receipts by e-mail on arrival, where the retailer or the receipt wants it.
 * @param heard told of each arrival that is dealt with
 */
export function onReceiptCreated(parts: SendParts, heard: (retailer: string, arrival: number) => void) {
  return async (events: readonly Recorded[]): Promise<(Error | undefined)[]> =>
    Promise.all(
      events.map(async (event) => {
        try {
          await handle(event, parts);
          heard(event.retailer, event.data.arrival);
          return undefined;
        } catch (error) {
          return error as Error;
        }
      }),
    );
}

function callOf(event: Recorded, now: Date): Call {
  return {
    ...ownCall('delivery', now.getTime(), askTimeoutMs, event.retailer),
    id: event.id,
    requestId: event.correlationid,
    ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
  };
}

async function handle(event: Recorded, parts: SendParts): Promise<void> {
  const receipt = event.data;
  const now = parts.now();
  const call = callOf(event, now);
  const { settings } = await parts.retailer(event.retailer, call);
  const wish = autoSendOf(receipt, settings);
  if (wish === 'no') return;
  const situation = await gatherSituation(receipt, {}, call, parts);
  const address = addressFor('email', situation.addresses);
  // Without an address there is nobody to send to, and nobody who could have objected.
  if (address === null) return;
  const optedOut = hasOptedOut(situation.identifier);
  const suppressed = wish === 'blocked' || optedOut;
  if (!suppressed && !availableChannels(situation).includes('email')) return;
  const document: NewDelivery = {
    // The event's own id: the same event twice is one delivery.
    _id: event.id,
    retailer: event.retailer,
    receiptId: receipt.id,
    channel: 'email',
    address: deliverable('email', address),
    status: suppressed ? 'suppressed' : 'pending',
    reason: suppressed ? (optedOut ? 'opted_out' : 'blocked') : null,
    attempts: 0,
    requestedAt: now,
    updatedAt: now,
    ...(!suppressed && { dueAt: now }),
    version: 1,
    requestId: event.correlationid,
  };
  const type = suppressed ? 'deliverySuppressed' : 'deliveryRequested';
  const told = deliveryEvent(type, document, call, now);
  const items = await parts.deliveries.add(document, told, deadlineSignal(call, now.getTime()));
  if (!items) return;
  parts.relay.nudge([{ _id: document._id, items }]);
  if (!suppressed) parts.wake();
}
