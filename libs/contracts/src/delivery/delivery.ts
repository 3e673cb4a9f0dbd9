import { z } from 'zod';
import { channels } from '../shared/channels';

export const deliveryStatuses = ['pending', 'sent', 'failed', 'suppressed'] as const;

/** The delivery of a receipt to one address over one channel. The address is masked. */
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
/** Prevents clients from flooding a consumer's mailbox. */
export const tooManySends = {
  status: 429,
  code: 'rate_limited',
  description: 'too many receipts were sent to this address, or this receipt too many times',
};
/** The actual description names the channel, such as `sms channel is not available`. */
export const channelNotAvailable = {
  status: 422,
  code: 'channel_not_available',
  description: 'the channel is not available',
};
