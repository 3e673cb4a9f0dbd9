import { channelNotAvailable, type Channel, type deliveryContracts } from '@receipts/contracts';
import { newId, ServiceError, type Handler } from '@receipts/kernel';
import type { Relay } from '@receipts/storage';
import { addressFor } from '../domain/addresses';
import { availableChannels } from '../domain/availability';
import type { Deliveries, DeliveryDocument } from '../storage/deliveries';
import { deliveryEvent } from './delivery-events';
import { findReceipt } from './find-receipt';
import { gatherSituation, type SituationParts } from './gather-situation';

export interface SendParts extends SituationParts {
  readonly deliveries: Deliveries;
  readonly relay: Pick<Relay<DeliveryDocument, string>, 'nudge'>;
  /** Called when there is something to send. */
  readonly wake: () => void;
}

/** The same receipt to the same address within this time is one delivery: an impatient finger sends no second mail. */
const repeatMs = 10_000;

export function sendReceipt(parts: SendParts): Handler<(typeof deliveryContracts)['sendReceipt']> {
  return async ({ body }, call) => {
    const receipt = await findReceipt(body, call, parts);
    const situation = await gatherSituation(receipt, body, call, parts);
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
      const address = addressFor(channel, situation.addresses) ?? '';
      const since = new Date(now.getTime() - repeatMs);
      if (await parts.deliveries.recent(call.retailer, receipt.id, channel, address, since)) continue;
      const document: Omit<DeliveryDocument, 'outbox'> = {
        _id: newId(now.getTime()),
        retailer: call.retailer,
        receiptId: receipt.id,
        channel,
        address,
        status: 'pending',
        reason: null,
        attempts: 0,
        requestedAt: now,
        updatedAt: now,
        dueAt: now,
        version: 1,
        requestId: call.requestId,
      };
      const items = await parts.deliveries.add(
        document,
        deliveryEvent('deliveryRequested', document, call, now),
      );
      if (items) parts.relay.nudge([{ _id: document._id, items }]);
    }
    parts.wake();
    return { body: { id: receipt.id }, meta: { resolved: false } };
  };
}
