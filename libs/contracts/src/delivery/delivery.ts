import { z } from 'zod';
import { channels } from '../shared/channels';

export const deliveryStatuses = ['pending', 'sent', 'failed', 'suppressed'] as const;

/** One attempt to bring a receipt to somebody over one channel. Its address is shown masked. */
export const delivery = z.object({
  id: z.string(),
  channel: z.enum(channels),
  address: z.string(),
  status: z.enum(deliveryStatuses),
  reason: z.string().nullable(),
  attempts: z.int(),
  requested_timestamp: z.string(),
  updated_timestamp: z.string(),
  delivered_timestamp: z
    .string()
    .meta({
      description: 'When it reached the consumer; absent where that is not known, as of every e-mail.',
    })
    .optional(),
});

export type Delivery = z.output<typeof delivery>;

export const receiptToSendNotFound = {
  status: 422,
  code: 'receipt_not_found',
  description: 'receipt not found',
};
/** Whoever may send must not be able to fill somebody's mailbox with it. */
export const tooManySends = {
  status: 429,
  code: 'rate_limited',
  description: 'too many receipts were sent to this address, or this receipt too many times',
};
/** The description names the channel: `sms channel is not available`. */
export const channelNotAvailable = {
  status: 422,
  code: 'channel_not_available',
  description: 'the channel is not available',
};
