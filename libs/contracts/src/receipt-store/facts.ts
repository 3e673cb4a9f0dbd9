import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';

/**
 * What our own services need to know of a receipt, so that the whole of it, some ten times as long, need not travel to each
 * of them with every sale.
 */
export const receiptFigures = z.object({
  id: z.string(),
  identifier: z.string().nullable(),
  store_reference: z.string(),
  timestamp: z.string(),
  total: z.number(),
  currency: z.string(),
  /** Duplicates are receipts, but no purchases. */
  duplicate: z.boolean(),
  /** Those of the receipt's properties that say whether, and where to, it is sent on arrival. */
  properties: z.record(z.string(), z.unknown()),
});

export type ReceiptFigures = z.output<typeof receiptFigures>;

/**
 * The consumers to whom the credential that posted a receipt is confined; absent for all others. Whoever has such a credential is
 * one of them, and what they wrote onto the receipt sends it to nobody else.
 */
export const confinedTo = z.array(z.string()).optional();

/** The properties of a receipt that its figures carry. */
export const figureProperties = ['email', 'phone', 'email_settings', 'messaging_settings'] as const;

export const receiptRecorded = defineEvent({
  type: 'receipt.recorded',
  owner: 'receipt-store',
  collection: 'receipts',
  audience: 'internal',
  summary: 'A new receipt, in figures',
  description:
    'Said of every new receipt, beside `receipt.created`. `sequence` is the version of the receipt, here 1.',
  data: receiptFigures.extend({
    /** The place in the retailer's order of arrival, which has no holes: whoever misses a number has missed a receipt. */
    arrival: z.int(),
    confined_to: confinedTo,
  }),
});

export const receiptRevised = defineEvent({
  type: 'receipt.revised',
  owner: 'receipt-store',
  collection: 'receipts',
  audience: 'internal',
  summary: 'A changed receipt, in figures',
  description: 'Said after every later change, with the figures as they are from then on.',
  data: receiptFigures,
});
