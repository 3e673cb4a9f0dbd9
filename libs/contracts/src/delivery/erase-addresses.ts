import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** Used when a consumer is erased. */
export const eraseAddresses = defineCommand({
  name: 'delivery.erase-addresses',
  summary: 'Forget where receipts were sent to',
  description:
    'Internal. The deliveries of these receipts stay and lose their addresses, and the events about either name nobody any more; what has not been sent is not sent. Repeating it changes nothing.',
  body: z.object({ receipts: z.array(z.string()).max(200) }),
});
