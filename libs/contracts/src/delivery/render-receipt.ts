import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt } from '../receipt';

/** For the portal, which shows staff what the consumer sees, even for a receipt that is not stored. */
export const renderReceipt = defineQuery({
  name: 'delivery.render-receipt',
  summary: 'The page of a receipt',
  description:
    'Internal. The page that the consumer sees, without links and QR code. Rendering does not count as a view of the receipt.',
  body: z.object({ receipt: returnedReceipt }),
  output: z.object({
    html: z.string(),
    /** The content security policy of the page. */
    contentSecurityPolicy: z.string(),
  }),
});
