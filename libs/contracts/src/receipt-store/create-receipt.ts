import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { linksTo, receiptLinks } from '../receipt/receipt-links';
import { unknownAttachment } from '../ingest/attachment';
import {
  cardNumberTooLong,
  invalidGtin,
  receiptItemsMax,
  postedReceipt,
  postedReceiptExample,
  receiptPropertiesMax,
  tooManyInReceipt,
} from '../receipt';
import {
  duplicateExternalId,
  duplicateTransactionId,
  linkTaken,
  receiptTooLarge,
  storeNotAllowed,
  unknownLink,
  unknownStore,
} from '../receipt/errors';

/** A till posts a structured receipt, which is durable before the response is sent. */
export const createReceipt = defineCommand(
  {
    name: 'receipt-store.create-receipt',
    summary: 'Post a receipt',
    description:
      'Stores a receipt durably before it responds. `transaction_id` is unique per retailer: if it already exists, the response is 409 with the `id` of the existing receipt, which a till can treat as success. With `duplicate: true`, the receipt is stored under `<transaction_id>-duplicate-<4 letters>`. ' +
      `A receipt can have at most ${receiptItemsMax} items, ${receiptPropertiesMax} properties and 20000 values in total; a larger receipt is rejected with 422 \`too_many\`. ` +
      'A credential that is restricted to consumers can post receipts only for these consumers.',
    permission: 'view.post_receipt',
    forStores: 'confined',
    forConsumers: 'confined',
    http: { method: 'POST', path: '/receipts', success: 201 },
    body: json(postedReceipt, { tooMany: tooManyInReceipt }),
    output: z.object({
      id: z.string().describe('The id of the new receipt.'),
      _links: receiptLinks
        .optional()
        .describe(
          'Links to renderings of the receipt. Present if the retailer setting `response_links` is on.',
        ),
    }),
    meta: z.object({ id: z.string() }),
    errors: [
      duplicateTransactionId,
      duplicateExternalId,
      cardNumberTooLong,
      invalidGtin,
      storeNotAllowed,
      unknownStore,
      unknownAttachment,
      linkTaken,
      unknownLink,
      receiptTooLarge,
    ],
    examples: {
      request: postedReceiptExample,
      response: {
        id: '6650f2c81b3c9a0012ab34cd',
        _links: linksTo('https://receipts.example', 'Q2hhbmdlTWU'),
      },
    },
  },
  {
    response: ({ id }) => ({ headers: { location: `/receipts/${id}` } }),
    consumerOf: ({ body }) => body.identifier,
  },
);
