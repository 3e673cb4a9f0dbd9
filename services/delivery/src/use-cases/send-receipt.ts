import { channelNotAvailable, type Channel, type deliveryContracts } from '@receipts/contracts';
import { newId, ServiceError, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal, type Relay } from '@receipts/storage';
import { addressFor, deliverable, folded } from '../domain/addresses';
import { availableChannels } from '../domain/availability';
import { checkOwnAddresses } from '../domain/own-addresses';
import { addressLimit, checkSendLimit, receiptLimit } from '../domain/send-limits';
import type { Deliveries, DeliveryDocument, NewDelivery } from '../storage/deliveries';
import { deliveryEvent } from './delivery-events';
import { findReceipt } from './find-receipt';
import { gatherSituation, type SituationParts } from './gather-situation';
import { groupBy } from './group-by';
import { OneAtATime } from './one-at-a-time';

export interface SendParts extends SituationParts {
  readonly deliveries: Deliveries;
  readonly relay: Pick<Relay<DeliveryDocument, string>, 'nudge'>;
  /** Called when there is something to send. */
  readonly wake: () => void;
}

interface Destination {
  readonly channel: Channel;
  readonly address: string;
}

/** Sends a receipt over the channels that were asked for, or tells over which it could go. */
export function sendReceipt(parts: SendParts): Handler<(typeof deliveryContracts)['sendReceipt']> {
  const turns = new OneAtATime();
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
    const destinations = [...new Set(body.channels as Channel[])].map((channel) => ({
      channel,
      // A channel without an address is not available.
      address: deliverable(
        channel,
        addressFor(channel, situation.addresses) as string,
        situation.settings.locale,
      ),
    }));
    const counted = [receipt.id, ...destinations.map(({ address }) => folded(address))];
    await turns.run(
      counted.map((what) => `${call.retailer}/${what}`),
      async () => {
        await checkLimits(receipt.id, destinations, call, parts);
        for (const destination of destinations) await addDelivery(receipt.id, destination, call, parts);
      },
    );
    parts.wake();
    return { body: { id: receipt.id }, meta: { resolved: false } };
  };
}

/** @throws ServiceError 429 `rate_limited` */
async function checkLimits(
  receiptId: string,
  destinations: readonly Destination[],
  call: Call,
  { deliveries, now }: SendParts,
): Promise<void> {
  const at = now();
  const signal = deadlineSignal(call);
  const last = ({ countMax, windowMs }: typeof addressLimit) => ({
    since: new Date(at.getTime() - windowMs),
    countMax,
  });
  const ofReceipt = await deliveries.timesOf(call.retailer, receiptId, last(receiptLimit), signal);
  checkSendLimit(receiptLimit, ofReceipt, destinations.length, at);
  const perAddress = groupBy(destinations, ({ address }) => folded(address));
  for (const [address, { length }] of perAddress) {
    const times = await deliveries.timesTo(call.retailer, address, last(addressLimit), signal);
    checkSendLimit(addressLimit, times, length, at);
  }
}

async function addDelivery(
  receiptId: string,
  { channel, address }: Destination,
  call: Call,
  { deliveries, relay, now }: SendParts,
): Promise<void> {
  const at = now();
  const document: NewDelivery = {
    _id: newId(at.getTime()),
    retailer: call.retailer,
    receiptId,
    channel,
    address,
    status: 'pending',
    reason: null,
    attempts: 0,
    requestedAt: at,
    updatedAt: at,
    dueAt: at,
    version: 1,
    requestId: call.requestId,
  };
  const event = deliveryEvent('deliveryRequested', document, call, at);
  const items = await deliveries.add(document, event, deadlineSignal(call));
  if (items) relay.nudge([{ _id: document._id, items }]);
}
