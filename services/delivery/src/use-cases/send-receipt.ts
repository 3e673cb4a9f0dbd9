import { channelNotAvailable, type Channel, type deliveryContracts } from '@receipts/contracts';
import { newId, ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal, type Relay } from '@receipts/storage';
import { addressFor } from '../domain/addresses';
import { availableChannels } from '../domain/availability';
import { checkOwnAddresses } from '../domain/own-addresses';
import type { Deliveries, DeliveryDocument, NewDelivery } from '../storage/deliveries';
import { deliveryEvent } from './delivery-events';
import { findReceipt } from './find-receipt';
import { gatherSituation, type SituationParts } from './gather-situation';

export interface SendParts extends SituationParts {
  readonly deliveries: Deliveries;
  readonly relay: Pick<Relay<DeliveryDocument, string>, 'nudge'>;
  /** Called when there is something to send. */
  readonly wake: () => void;
}

/** Sends a receipt over the channels that were asked for, or tells over which it could go. */
export function sendReceipt(parts: SendParts): Handler<(typeof deliveryContracts)['sendReceipt']> {
  return async ({ body }, call) => {
    const receipt = await findReceipt(body, call, parts);
    const situation = await gatherSituation(receipt, body, call, parts);
    if (call.consumers) checkOwnAddresses(body, call.consumers, receipt, situation.identifier);
    const available = availableChannels(situation);
    if (body.resolve === true) {
      const { email, phone } = situation.addresses;
      return {
        body: { id: receipt.id, channels: available, email_address: email, phone_number: phone },
        meta: { resolved: true },
      };
    }
    const unavailable = body.channels.find((channel) => !available.includes(channel as Channel));
    if (unavailable !== undefined) {
      throw new ServiceError(channelNotAvailable, { description: `${unavailable} channel is not available` });
    }
    const now = parts.now();
    for (const channel of new Set(body.channels as Channel[])) {
      const document: NewDelivery = {
        _id: newId(now.getTime()),
        retailer: call.retailer,
        receiptId: receipt.id,
        channel,
        // A channel without an address is not available.
        address: addressFor(channel, situation.addresses) as string,
        status: 'pending',
        reason: null,
        attempts: 0,
        requestedAt: now,
        updatedAt: now,
        dueAt: now,
        version: 1,
        requestId: call.requestId,
      };
      const event = deliveryEvent('deliveryRequested', document, call, now);
      const items = await parts.deliveries.add(document, event, deadlineSignal(call));
      if (items) parts.relay.nudge([{ _id: document._id, items }]);
    }
    parts.wake();
    return { body: { id: receipt.id }, meta: { resolved: false } };
  };
}
