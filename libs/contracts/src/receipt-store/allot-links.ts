import { defineCommand, jsonVariants } from '@receipts/kernel';
import { z } from 'zod';
import { unknownStore } from '../receipt/errors';
import { storeReferenceField } from '../receipt/posted-receipt';
import { receiptLinks } from '../receipt/receipt-links';

const allottedLinksMax = 100;

const allottedLink = z.object({
  link: z
    .string()
    .describe(
      'The link, at most 64 characters of `A-Za-z0-9_-`. Send it as `link` of the receipt. It can be used once.',
    ),
  webview: receiptLinks.shape.webview,
  expires_timestamp: z
    .string()
    .describe('When the link expires if no receipt has used it, 30 days after it was created.'),
});

/** A till prints the QR code before it sends the receipt, or while it is offline. */
export const allotLinks = defineCommand({
  name: 'receipt-store.allot-links',
  summary: 'Reserve links for future receipts',
  description:
    'Returns links that work before their receipts exist, so that a till can print QR codes in advance. ' +
    'Send `link` with the receipt, in `POST /receipts` or as metadata of `POST /pos/receipts`; the page of the link then shows the receipt. ' +
    'Until then, the page says that the receipt is on its way.',
  permission: 'view.post_receipt',
  forStores: 'confined',
  forConsumers: 'unrelated',
  http: { method: 'POST', path: '/receipts/_link', success: 201 },
  body: {
    ...jsonVariants({
      'application/json': z.strictObject({
        count: z
          .int()
          .min(1)
          .max(allottedLinksMax)
          .optional()
          .describe('The number of links to create. Defaults to 1.'),
        store_reference: storeReferenceField
          .optional()
          .describe(
            'The store that uses the links. An unknown store is rejected only if the retailer setting `stores.require_known` is on.',
          ),
      }),
    }),
    optional: true,
  },
  output: z.object({ links: z.array(allottedLink).describe('The links, each for one receipt.') }),
  errors: [unknownStore],
  examples: { request: { count: 2 } },
});
