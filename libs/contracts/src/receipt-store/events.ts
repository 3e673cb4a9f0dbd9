import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt } from '../receipt';

/** The data that all receipt events contain. */
export const receiptFacts = z.object({
  id: z.string(),
  transaction_id: z.string(),
  external_id: z.string().nullable(),
  identifier: z.string().nullable(),
  store_reference: z.string(),
  timestamp: z.string(),
  total: z.number(),
  currency: z.string(),
  duplicate: z.boolean(),
});

const factsAndReceipt = receiptFacts.extend({ receipt: returnedReceipt });

export type ReceiptFacts = z.output<typeof receiptFacts>;

export const receiptCreated = defineEvent({
  type: 'receipt.created',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was stored',
  description: 'A till posted it, or it was converted from raw data.',
  data: factsAndReceipt,
});

export const receiptUpdated = defineEvent({
  type: 'receipt.updated',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was changed',
  description:
    'A patch gave one of its modifiable fields another value; the data show the receipt after the change.',
  data: factsAndReceipt,
});

export const receiptAssigned = defineEvent({
  type: 'receipt.assigned',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was assigned to a consumer',
  description:
    'It had no identifier before. When a patch did it, `receipt.updated` tells of the same change, with the same `sequence`.',
  data: receiptFacts,
});

export const receiptDeleted = defineEvent({
  type: 'receipt.deleted',
  owner: 'receipt-store',
  collection: 'receipts',
  summary: 'A receipt was deleted',
  description:
    'Somebody deleted it, or it was older than the retailer keeps receipts. It says nothing of whose it was.',
  data: z.object({
    id: z.string(),
    transaction_id: z.string(),
    deleted_timestamp: z.string(),
  }),
});
