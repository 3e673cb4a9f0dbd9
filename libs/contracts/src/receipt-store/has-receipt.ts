import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/** A reserved link is taken once a receipt has been stored with its id, even if the receipt is deleted later. */
export const hasReceipt = defineQuery({
  name: 'receipt-store.has-receipt',
  summary: 'Check whether a receipt with this id was ever stored',
  description: 'Internal. Returns true even if the receipt was deleted.',
  body: z.object({ receipt_id: z.string() }),
  output: z.object({ exists: z.boolean() }),
});
