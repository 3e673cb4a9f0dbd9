import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** Used when a consumer is erased. */
export const eraseAddresses = defineCommand({
  name: 'delivery.erase-addresses',
  summary: 'Erase the addresses that receipts were sent to',
  description:
    'Internal. The deliveries of these receipts, and those to this consumer, remain, but their addresses are removed, and their events and those of the receipts no longer contain anything that may name the consumer; pending deliveries are cancelled. Retrying the command has no effect.',
  body: z.object({
    /** The receipts, or other subjects of events, such as attachments. */
    receipts: z.array(z.string()).max(200),
    /** The hash of the consumer's identifier. It finds deliveries of receipts that are no longer the consumer's. */
    person: z.string().optional(),
  }),
});
