import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { deliveryChannel, deliveryId, deliveryReason, maskedAddress } from './delivery-fields';

/** The address is masked, because events reach systems of which the consumer is not aware. */
const data = z.object({
  id: deliveryId,
  receipt_id: z.string().describe('The id of the receipt to which the delivery belongs.'),
  channel: deliveryChannel,
  address: maskedAddress,
  reason: deliveryReason,
});

const event = <T extends `${string}.${string}`>(type: T, summary: string, description: string) =>
  defineEvent({ type, owner: 'delivery', collection: 'deliveries', summary, description, data });

export const deliveryRequested = event(
  'delivery.requested',
  'A delivery was requested',
  'The delivery was requested through the API, or by the settings of the retailer or the receipt.',
);
export const deliverySent = event(
  'delivery.sent',
  'A receipt was sent',
  'The channel has accepted the receipt. This does not mean that it was read.',
);
export const deliveryFailed = event(
  'delivery.failed',
  'A receipt could not be sent',
  'All attempts failed, or the channel rejected the receipt permanently.',
);
export const deliverySuppressed = event(
  'delivery.suppressed',
  'A receipt was not sent on arrival',
  'The consumer has opted out, or the receipt forbids sending.',
);
