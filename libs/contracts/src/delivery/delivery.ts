import { z } from 'zod';

export const channels = ['email', 'sms', 'whatsapp'] as const;
export type Channel = (typeof channels)[number];

/** One address and nothing else: no list, no comment, nothing that a mail program would read as a second one. */
export const mailPattern = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,190}$/;

/** As people write numbers, with six to fifteen digits (E.164). */
export const phonePattern = /^(?=(\D*\d){6,15}\D*$)\+?[0-9 ()./-]{6,24}$/;

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
});

export type Delivery = z.output<typeof delivery>;

export const receiptToSendNotFound = {
  status: 422,
  code: 'receipt_not_found',
  description: 'receipt not found',
};
/** The description names the channel: `sms channel is not available`. */
export const channelNotAvailable = {
  status: 422,
  code: 'channel_not_available',
  description: 'the channel is not available',
};
