import { z } from 'zod';
import { channels } from '../../shared/channels';

/** The fields that a delivery and its events have in common. */

export const deliveryId = z.string().describe('The id of the delivery.');
export const deliveryChannel = z.enum(channels).describe('The channel over which the receipt is sent.');
export const maskedAddress = z
  .string()
  .describe('The address or number, masked, such as `j***@example.com`.');
export const deliveryReason = z
  .string()
  .nullable()
  .describe('Why the delivery failed, was suppressed or has to be retried; `null` otherwise.');
