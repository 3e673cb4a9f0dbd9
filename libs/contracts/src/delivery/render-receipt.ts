import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { brandSettings } from '../admin/brand-settings';
import { returnedReceipt } from '../receipt';

/** For the portal, which shows staff what the consumer sees, even for a receipt that is not stored. */
export const renderReceipt = defineQuery({
  name: 'delivery.render-receipt',
  forStores: 'unrelated',
  summary: 'Render the page of a receipt',
  description:
    'Internal. Returns the page that the consumer sees, without links and QR code; with `brand`, also the e-mail and the PDF. Rendering does not count as a view of the receipt.',
  body: z.object({
    receipt: returnedReceipt,
    /** Used instead of the retailer's brand, to preview it. */
    brand: brandSettings.optional(),
  }),
  output: z.object({
    html: z.string(),
    /** The content security policy of the page. */
    contentSecurityPolicy: z.string(),
    preview: z
      .object({
        mail: z.object({ subject: z.string(), html: z.string() }),
        pdf_base64: z.string(),
      })
      .optional(),
  }),
});
