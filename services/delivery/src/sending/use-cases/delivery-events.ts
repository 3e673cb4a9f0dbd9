import { deliveryEvents, type Channel, type webhookEvents } from '@receipts/contracts';
import { eventOf, type Call, type SerializedEvent } from '@receipts/kernel';
import { masked } from '../domain/addresses';

interface Facts {
  readonly _id: string;
  readonly receiptId: string;
  readonly channel: Channel;
  readonly address: string;
  readonly reason: string | null;
  readonly version: number;
}

/** The event of a delivery's new state, with the masked address. */
export function deliveryEvent(
  type: Exclude<keyof typeof deliveryEvents, keyof typeof webhookEvents | 'receiptViewed'>,
  facts: Facts,
  call: Pick<Call, 'id' | 'requestId' | 'retailer' | 'traceparent'>,
  now: Date,
): SerializedEvent {
  const { _id: id, receiptId, channel, address, reason, version } = facts;
  const data = { id, receipt_id: receiptId, channel, address: masked(address), reason };
  return eventOf(deliveryEvents[type], { subject: id, sequence: version, data }, call, now);
}
