import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';

/**
 * The parts of a receipt that other services of the platform need. The whole receipt is about ten times as large, so it
 * is not sent with these events.
 */
export const receiptFigures = z.object({
  id: z.string(),
  identifier: z.string().nullable(),
  store_reference: z.string(),
  timestamp: z.string(),
  total: z.number(),
  currency: z.string(),
  /** Duplicates are receipts, but do not count as purchases. */
  duplicate: z.boolean(),
  /** Voided receipts do not count either, and are not sent. */
  voided: z.boolean(),
  /** The properties that determine whether and where the receipt is sent on arrival. */
  properties: z.record(z.string(), z.unknown()),
});

export type ReceiptFigures = z.output<typeof receiptFigures>;

/**
 * The consumers to whom the credential that posted the receipt is restricted; absent for other credentials. Such a
 * receipt may only be sent to one of these consumers.
 */
export const confinedTo = z.array(z.string()).optional();

/** The properties of a receipt that are included in its figures. */
export const figureProperties = ['email', 'phone', 'email_settings', 'messaging_settings'] as const;

export const receiptRecorded = defineEvent({
  type: 'receipt.recorded',
  owner: 'receipt-store',
  collection: 'receipts',
  audience: 'internal',
  summary: 'A receipt was stored (figures only)',
  description:
    'Published for every new receipt, together with `receipt.created`. `sequence` is the version of the ' +
    'receipt, here 1.',
  data: receiptFigures.extend({
    /**
     * The position in the retailer's order of arrival. It has no gaps, so a missing number means a missed
     * receipt.
     */
    arrival: z.int(),
    confined_to: confinedTo,
  }),
});

export const receiptRevised = defineEvent({
  type: 'receipt.revised',
  owner: 'receipt-store',
  collection: 'receipts',
  audience: 'internal',
  summary: 'A receipt was changed (figures only)',
  description: 'Published after every change of a stored receipt, with the new figures.',
  data: receiptFigures,
});
