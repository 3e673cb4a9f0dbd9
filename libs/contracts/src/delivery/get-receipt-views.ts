import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/** For the portal's history of a receipt. */
export const getReceiptViews = defineQuery({
  name: 'delivery.get-receipt-views',
  summary: 'Get how often a receipt was viewed',
  description:
    'Internal. Returns how often persons opened the page or the PDF of a receipt through its link.',
  // The caller has read the receipt.
  forStores: 'unrelated',
  params: z.object({ id: z.string() }),
  output: z.object({
    persons: z.int(),
    /** The time of the latest view; null without any. */
    last_timestamp: z.string().nullable(),
  }),
});
