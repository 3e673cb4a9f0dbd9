import { channels, type Channel, type receiptRecorded } from '@receipts/contracts';
import { deadlineSignal, toUnavailableError } from '@receipts/storage';
import { serviceCall, type Call, type EventOf } from '@receipts/kernel';
import { addressFor, deliverable } from '../domain/addresses';
import { autoSendOf } from '../domain/auto-send';
import { availableChannels, type Situation } from '../domain/availability';
import { newDelivery } from '../storage/delivery-document';
import { recipientIdOf } from '../storage/recipients';
import { deliveryEvent } from './delivery-events';
import { eraseIfOutdated } from './erase-addresses';
import { gatherSituation } from './gather-situation';
import type { SendDependencies } from './send-receipt';

export type Recorded = EventOf<typeof receiptRecorded>;

/**
 * Sends receipts on arrival, if the retailer or the receipt requests it.
 * @param handled called for each arrival that was handled
 */
export function onReceiptCreated(
  deps: SendDependencies,
  handled: (retailer: string, arrival: number) => void,
) {
  return async (events: readonly Recorded[]): Promise<(Error | undefined)[]> =>
    Promise.all(
      events.map(async (event) => {
        try {
          await handle(event, deps);
          handled(event.retailer, event.data.arrival);
          return undefined;
        } catch (error) {
          return toUnavailableError(error) ?? (error as Error);
        }
      }),
    );
}

function callOf(event: Recorded, now: Date): Call {
  return {
    ...serviceCall('delivery', now.getTime(), event.retailer),
    id: event.id,
    requestId: event.correlationid,
    ...(event.data.confined_to && { consumers: event.data.confined_to }),
    ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
  };
}

async function handle(event: Recorded, deps: SendDependencies): Promise<void> {
  const receipt = event.data;
  if (receipt.voided) return;
  const now = deps.now();
  const call = callOf(event, now);
  const { settings } = await deps.retailer(event.retailer, call);
  const wishes = channels.map((channel) => [channel, autoSendOf(channel, receipt, settings)] as const);
  const wanted = wishes.filter(([, wish]) => wish !== 'no');
  if (wanted.length === 0) return;
  const situation = await gatherSituation(receipt, {}, call, deps);
  for (const [channel, wish] of wanted) {
    await sendOver(channel, { event, situation, isBlocked: wish === 'blocked' }, call, deps);
  }
}

async function sendOver(
  channel: Channel,
  { event, situation, isBlocked }: { event: Recorded; situation: Situation; isBlocked: boolean },
  call: Call,
  deps: SendDependencies,
): Promise<void> {
  const receipt = event.data;
  const now = deps.now();
  const known = addressFor(channel, situation.addresses);
  // If there is no address, there is nothing to send and no objection to record.
  if (known === null) return;
  const blocked = isBlocked ? 'blocked' : null;
  const objection = situation.optedOut.has(channel) ? 'opted_out' : blocked;
  if (objection === null && !availableChannels(situation).includes(channel)) return;
  const { retailer } = event;
  const { identifier } = receipt;
  const address = deliverable(channel, known, situation.settings.locale);
  const recipient = { retailer, identifier, address };
  const facts = {
    // Derived from the event's id: a redelivered event creates no second delivery.
    _id: channel === 'email' ? event.id : `${event.id}-${channel}`,
    receiptId: receipt.id,
    identifier,
    channel,
    address,
    recipientId: recipientIdOf(recipient),
    isAutomatic: true as const,
  };
  const document = newDelivery(facts, call, now, objection);
  const type = objection === null ? 'deliveryRequested' : 'deliverySuppressed';
  const published = deliveryEvent(type, document, call, now);
  const entry = { document, event: published };
  // The event was created when the receipt arrived, so any later erasure affects its addresses.
  const signal = () => deadlineSignal(call, now.getTime());
  if (objection === null) await deps.recipients.add(recipient, signal());
  const added = await deps.deliveries.add([entry], signal());
  if (added === 0 || (await eraseIfOutdated(deps.erasure, [document], signal))) return;
  if (objection === null) deps.wake();
}
