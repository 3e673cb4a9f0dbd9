import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/** For the portal's table of receipts. */
export const listSentReceipts = defineQuery({
  name: 'delivery.list-sent-receipts',
  summary: 'List which receipts were sent',
  description:
    'Internal. Returns those of the receipts that a channel has accepted at least once, those that no channel has accepted, and those that are still being sent. Receipts that nobody tried to send are left out.',
  // The caller has been given the ids of receipts of its stores.
  forStores: 'unrelated',
  body: z.object({ receipts: z.array(z.string()).max(1_000) }),
  output: z.object({
    sent: z.array(z.string()),
    failed: z.array(z.string()),
    pending: z.array(z.string()),
  }),
});
