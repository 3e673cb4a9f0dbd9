import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { channels } from '../../shared/channels';

/** The address is masked, because events reach systems of which the consumer is not aware. */
const data = z.object({
  id: z.string(),
  receipt_id: z.string(),
  channel: z.enum(channels),
  address: z.string(),
  reason: z.string().nullable(),
});

const event = <T extends `${string}.${string}`>(type: T, summary: string, description: string) =>
  defineEvent({ type, owner: 'delivery', collection: 'deliveries', summary, description, data });

export const deliveryRequested = event(
  'delivery.requested',
  'A receipt is to be sent',
  'Somebody asked for it, or the settings of the retailer or the receipt did.',
);
export const deliverySent = event(
  'delivery.sent',
  'A receipt was sent',
  'The channel has taken it over; whether it was read is not known.',
);
export const deliveryFailed = event(
  'delivery.failed',
  'A receipt could not be sent',
  'All attempts failed, or the channel refused it for good.',
);
export const deliverySuppressed = event(
  'delivery.suppressed',
  'A receipt was not sent on arrival',
  'It would have been, but the consumer has opted out or the receipt blocks it.',
);
