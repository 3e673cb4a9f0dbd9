import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { receiptLinks } from '../receipt/receipt-links';
import { unknownAttachment } from '../ingest/attachment';
import {
  cardNumberTooLong,
  receiptItemsMax,
  postedReceipt,
  postedReceiptExample,
  receiptPropertiesMax,
  tooManyInReceipt,
} from '../receipt';
import {
  duplicateExternalId,
  duplicateTransactionId,
  receiptTooLarge,
  storeNotAllowed,
  unknownStore,
} from '../receipt/errors';

/** A till posts a structured receipt. It is durable when the response is sent. */
export const createReceipt = defineCommand(
  {
    name: 'receipt-store.create-receipt',
    summary: 'Post a receipt',
    description:
      'Stores one receipt. `transaction_id` is unique per retailer: posting it again is 409 with the `id` of the receipt that exists, ' +
      'so that a till can treat it as done. With `duplicate: true` the receipt is stored under `<transaction_id>-duplicate-<4 letters>`. ' +
      `At most ${receiptItemsMax} items, ${receiptPropertiesMax} properties in all and 20000 values in all: more is 422 \`too_many\`. ` +
      'A credential that is confined to consumers posts only for them. `_links` come with the answer when the retailer has asked for them.',
    permission: 'view.post_receipt',
    http: { method: 'POST', path: '/receipts', success: 201 },
    body: json(postedReceipt, { tooMany: tooManyInReceipt }),
    output: z.object({
      id: z.string(),
      _links: receiptLinks.optional(),
    }),
    meta: z.object({ id: z.string() }),
    errors: [
      duplicateTransactionId,
      duplicateExternalId,
      cardNumberTooLong,
      storeNotAllowed,
      unknownStore,
      unknownAttachment,
      receiptTooLarge,
    ],
    examples: { request: postedReceiptExample, response: { id: '6650f2c81b3c9a0012ab34cd' } },
  },
  {
    answer: ({ id }) => ({ headers: { location: `/receipts/${id}` } }),
    consumerOf: ({ body }) => body.identifier,
  },
);
