import { channelNotAvailable, receiptVoidedError, type Channel } from '@receipts/contracts';
import type { ReturnedReceipt } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { retrySoon, ServiceError, unavailable, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { addressFor, deliverable, folded } from '../domain/addresses';
import { availableChannels, hasOverride, type Situation } from '../domain/availability';
import { checkOwnAddresses, isOfConsumer } from '../domain/own-addresses';
import { addressLimit, checkSendLimit, receiptLimit } from '../domain/send-limits';
import { deliveryIdOf, type Deliveries } from '../storage/deliveries';
import { newDelivery, type DeliveryDocument } from '../storage/delivery-document';
import { recipientIdOf, type Recipients } from '../storage/recipients';
import { deliveryEvent } from './delivery-events';
import { findReceipt } from './find-receipt';
import { eraseIfOutdated, type AddressErasure } from './erase-addresses';
import { gatherSituation, type SituationDependencies } from './gather-situation';
import { KeyedMutex } from './keyed-mutex';

export interface SendDependencies extends SituationDependencies {
  readonly deliveries: Deliveries;
  readonly recipients: Recipients;
  readonly erasure: AddressErasure;
  /** Called after deliveries were added. */
  readonly wake: () => void;
}

interface Destination {
  readonly channel: Channel;
  readonly address: string;
  readonly isExplicit: boolean;
  /** The consumer, if it is their address. */
  readonly identifier: string | null;
}

/** Sends a receipt over the requested channels, or explains which channels are available. */
export function sendReceipt(deps: SendDependencies): HandlerOf<'sendReceipt'> {
  const turns = new KeyedMutex();
  return async ({ body }, call) => {
    const wanted = [...new Set(body.channels as Channel[])];
    const requested = body.resolve === true ? [] : await earlierRequests(wanted, call, deps);
    const [earlier] = requested;
    if (earlier && requested.length === wanted.length) {
      deps.wake();
      return { body: { id: earlier.receiptId }, meta: { resolved: false } };
    }
    const { receipt, erasureCount } = await readReceiptToSend(body, call, deps);
    if (receipt.voided) throw new ServiceError(receiptVoidedError);
    const situation = await gatherSituation(receipt, body, call, deps);
    if (call.consumers) checkOwnAddresses(body, call.consumers, receipt, situation.identifier);
    const available = availableChannels(situation);
    if (body.resolve === true) {
      const { email, phone } = situation.addresses;
      return {
        body: { id: receipt.id, channels: available, email_address: email, phone_number: phone },
        meta: { resolved: true },
      };
    }
    const missing = body.channels.find((channel) => !available.includes(channel as Channel));
    if (missing !== undefined) {
      throw new ServiceError(channelNotAvailable, { description: `${missing} channel is not available` });
    }
    const destinations = wanted.map((channel) => destinationOf(channel, receipt, situation));
    const counted = [receipt.id, ...destinations.map(({ address }) => folded(address))];
    await turns.run(
      counted.map((what) => `${call.retailer}/${what}`),
      async () => {
        // A retried call must not be limited by its own deliveries.
        if (!earlier) await checkLimits(receipt.id, destinations, call, deps);
        await addDeliveries({ receipt, erasureCount }, destinations, call, deps);
      },
    );
    deps.wake();
    return { body: { id: receipt.id }, meta: { resolved: false } };
  };
}

/** @param channel one that is available, which has an address */
function destinationOf(channel: Channel, receipt: ReturnedReceipt, situation: Situation): Destination {
  const { addresses, identifier, overrides, settings } = situation;
  const address = deliverable(channel, addressFor(channel, addresses) as string, settings.locale);
  const isExplicit = hasOverride(channel, overrides);
  const isOwn = !isExplicit || isOfConsumer(address, receipt, identifier);
  return { channel, address, isExplicit, identifier: isOwn ? receipt.identifier : null };
}

interface ReceiptToSend {
  readonly receipt: ReturnedReceipt;
  /** The number of erasures of its consumers before the receipt was read. */
  readonly erasureCount: number;
}

async function readReceiptToSend(
  named: { readonly id?: string | undefined; readonly transaction_id?: string | undefined },
  call: Call,
  deps: SendDependencies,
): Promise<ReceiptToSend> {
  const id = named.id ?? (await findReceipt(named, call, deps)).id;
  const { receiptErasures } = deps.erasure;
  const { times: erasureCount } = await receiptErasures.find(call.retailer, id, deadlineSignal(call));
  return { receipt: await findReceipt({ id }, call, deps), erasureCount };
}

/** The deliveries that this call saved in an earlier execution. */
async function earlierRequests(
  channels: readonly Channel[],
  call: Call,
  { deliveries }: SendDependencies,
): Promise<readonly Pick<DeliveryDocument, 'receiptId'>[]> {
  const ids = channels.map((channel) => deliveryIdOf(call.id, channel));
  return deliveries.existing(call.retailer, ids, deadlineSignal(call));
}

/** @throws ServiceError 429 `rate_limited` */
async function checkLimits(
  receiptId: string,
  destinations: readonly Destination[],
  call: Call,
  { deliveries, now }: SendDependencies,
): Promise<void> {
  const at = now();
  const signal = deadlineSignal(call);
  const last = ({ countMax, windowMs }: typeof addressLimit) => ({
    since: new Date(at.getTime() - windowMs),
    countMax,
  });
  const ofReceipt = await deliveries.times(call.retailer, { receiptId }, last(receiptLimit), signal);
  checkSendLimit(receiptLimit, ofReceipt, destinations.length, at);
  const perAddress = groupBy(destinations, ({ address }) => folded(address));
  for (const [address, { length }] of perAddress) {
    const times = await deliveries.times(call.retailer, { address }, last(addressLimit), signal);
    checkSendLimit(addressLimit, times, length, at);
  }
}

/** @throws ServiceError 503 if the consumer was erased meanwhile, because the receipt has to be read again */
async function addDeliveries(
  { receipt: { id: receiptId, identifier }, erasureCount }: ReceiptToSend,
  destinations: readonly Destination[],
  call: Call,
  { deliveries, recipients, erasure, now }: SendDependencies,
): Promise<void> {
  const at = now();
  const { retailer } = call;
  const signal = () => deadlineSignal(call);
  for (const destination of destinations) await recipients.add({ retailer, ...destination }, signal());
  const requests = destinations.map((destination) => {
    const { channel, address, isExplicit } = destination;
    const facts = {
      _id: deliveryIdOf(call.id, channel),
      receiptId,
      identifier,
      ...(erasureCount > 0 && { erasureCount }),
      channel,
      address,
      recipientId: recipientIdOf({ retailer, ...destination }),
      ...(isExplicit && { isExplicit: true as const }),
    };
    const document = newDelivery(facts, call, at);
    return { document, event: deliveryEvent('deliveryRequested', document, call, at) };
  });
  await deliveries.add(requests, signal());
  const added = requests.map(({ document }) => document);
  if (!(await eraseIfOutdated(erasure, added, signal))) return;
  const internal = 'the consumer was erased before the receipt was sent';
  throw retrySoon(unavailable, { internal });
}
