import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** Used when a consumer is erased. */
export const eraseAddresses = defineCommand({
  name: 'delivery.erase-addresses',
  summary: 'Erase the addresses that receipts were sent to',
  description:
    'Internal. Removes the addresses from the deliveries of these receipts and to this consumer, and everything that may name the consumer from their events and those of the receipts. The deliveries remain; pending ones are cancelled. Retrying the command has no effect.',
  body: z.object({
    /** The receipts, or other subjects of events, such as attachments. */
    receipts: z.array(z.string()).max(200),
    /** The hash of the consumer's identifier. It finds deliveries of receipts that are no longer the consumer's. */
    person: z.string().optional(),
  }),
});
