import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt } from '../receipt';
import { checkCode } from '../shared/checks';
import { giftId } from './create-gift-receipt';

const {
  id,
  transaction_id,
  external_id,
  identifier,
  store_reference,
  timestamp,
  total,
  duplicate,
  l10n,
  voided,
} = returnedReceipt.shape;

/** The data that all receipt events contain. */
export const receiptFacts = z.object({
  id,
  transaction_id,
  external_id,
  identifier,
  store_reference,
  timestamp,
  total,
  currency: l10n.shape.currency,
  duplicate,
});

const factsAndReceipt = receiptFacts.extend({
  receipt: returnedReceipt.describe('The receipt after the change, as `GET /receipts/{id}` returns it.'),
});

export type ReceiptFacts = z.output<typeof receiptFacts>;

export const receiptCreated = defineEvent({
  type: 'receipt.created',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was stored',
  description: 'A till posted the receipt, or it was converted from raw data.',
  data: factsAndReceipt,
});

export const receiptUpdated = defineEvent({
  type: 'receipt.updated',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was changed',
  description:
    'A patch changed a modifiable field of the receipt. The data contains the receipt after the change.',
  data: factsAndReceipt,
});

export const receiptAssigned = defineEvent({
  type: 'receipt.assigned',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was assigned to a consumer',
  description:
    'A receipt without an identifier was assigned to a consumer. If a patch did so, `receipt.updated` reports the same change with the same `sequence`.',
  data: receiptFacts,
});

export const receiptCheckFailed = defineEvent({
  type: 'receipt.check_failed',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A new receipt does not add up',
  description:
    'Published with the retailer setting `checks.event`, for each stored receipt that fails a check.',
  data: receiptFacts.extend({
    codes: z.array(checkCode).min(1).describe('The checks that the receipt fails.'),
  }),
});

export const receiptVoided = defineEvent({
  type: 'receipt.voided',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was voided',
  description: 'The receipt is kept, but no longer counts in summaries, totals and loyalty programmes.',
  data: receiptFacts.extend({ voided }),
});

export const receiptGiftCreated = defineEvent({
  type: 'receipt.gift_created',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A gift receipt was created',
  description: 'The data contains the returns code and the chosen items, but not the message.',
  data: receiptFacts.extend({
    gift_id: giftId,
    items: z.array(z.int()).describe('The indexes of the chosen items in the `items` of the receipt.'),
    until: z.string().nullable().describe('The last day on which the items can be returned.'),
  }),
});

export const receiptDeleted = defineEvent({
  type: 'receipt.deleted',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was deleted',
  description:
    'A request deleted the receipt, or it was older than the retailer setting `retention_days` allows. The event does not contain the consumer.',
  data: z.object({
    id,
    transaction_id,
    deleted_timestamp: z.string().describe('When the receipt was deleted.'),
  }),
});
