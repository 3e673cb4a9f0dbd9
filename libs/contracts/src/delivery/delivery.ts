import { z } from 'zod';
import { deliveryChannel, deliveryId, deliveryReason, maskedAddress } from './events/delivery-fields';

export const deliveryStatuses = ['pending', 'sent', 'failed', 'suppressed'] as const;

/** The delivery of a receipt to one address over one channel. The address is masked. */
export const delivery = z.object({
  id: deliveryId,
  channel: deliveryChannel,
  address: maskedAddress,
  status: z
    .enum(deliveryStatuses)
    .describe(
      '`pending` until the channel has accepted the receipt (`sent`) or all attempts have failed ' +
        '(`failed`). `suppressed` if the receipt must not be sent.',
    ),
  reason: deliveryReason,
  attempts: z.int().describe('The number of attempts to send the receipt.'),
  requested_timestamp: z.string().describe('When the delivery was requested.'),
  updated_timestamp: z.string().describe('When the delivery last changed.'),
  delivered_timestamp: z
    .string()
    .optional()
    .describe(
      'When the message reached the consumer. Absent if the channel, such as e-mail, does not report it.',
    ),
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
