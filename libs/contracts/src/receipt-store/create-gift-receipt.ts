import { concurrentWrite, defineCommand, json, schemaValidationFailed } from '@receipts/kernel';
import { z } from 'zod';
import { receiptItemsMax } from '../receipt/bounds';
import {
  processingPending,
  receiptDeletedError,
  receiptNotFound,
  receiptVoidedError,
} from '../receipt/errors';
import { receiptLinks, receiptParams } from '../receipt/receipt-links';
import { characters } from '../shared/characters';

const messageLengthMax = 500;

export const giftReceiptsMax = 100;

export const tooManyGiftReceipts = {
  status: 422,
  code: 'too_many',
  description: `a receipt can have at most ${giftReceiptsMax} gift receipts`,
};

const body = z.strictObject({
  items: z
    .array(z.int().min(0))
    .min(1)
    .max(receiptItemsMax)
    .optional()
    .describe(
      'The indexes of the chosen items in the `items` of the receipt, from 0, each once. Defaults to all items but those with a negative quantity.',
    ),
  message: characters(1, messageLengthMax).optional().describe('A message to the recipient of the gift.'),
  until: z.iso.date().optional().describe('The last day on which the items can be returned, `YYYY-MM-DD`.'),
});

export type GiftRequest = z.output<typeof body>;

export const giftId = z
  .string()
  .describe('The returns code of the gift receipt, printed on it as CODE128.')
  .meta({ examples: ['0000123456789012345678901234567890'] });

/** For the recipient of a gift, who may exchange it but must not see what it cost. */
export const createGiftReceipt = defineCommand({
  name: 'receipt-store.create-gift-receipt',
  summary: 'Create a gift receipt',
  description:
    'Returns links to a page and a PDF with the store, the date, the chosen items and their quantities, the message and the returns code, but without amounts, taxes, payments, consumer and fiscal data. ' +
    'The links work until the receipt is voided, deleted or erased, then they respond with 410. The returns desk finds the items with `GET /receipts/returnable`.',
  permission: 'view.post_gift_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'POST', path: '/receipts/{id}/_gift', success: 201 },
  params: receiptParams,
  body: { ...json(body), optional: true },
  output: z.object({ gift_id: giftId, ...receiptLinks.shape }),
  errors: [
    receiptNotFound,
    receiptDeletedError,
    processingPending,
    receiptVoidedError,
    tooManyGiftReceipts,
    concurrentWrite,
    schemaValidationFailed,
  ],
  examples: { request: { items: [0], message: 'Happy birthday!', until: '2024-12-31' } },
});
