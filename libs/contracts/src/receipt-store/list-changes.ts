import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { confinedTo, receiptFigures } from './facts';

export const changesMax = 200;

const change = z.object({
  id: z.string(),
  /** As the `sequence` of the events: whoever knows this version or a later one has nothing to do. */
  version: z.int(),
  /** The place in the order of arrival, as `receipt.recorded` tells it. */
  arrival: z.int(),
  /** When it arrived; null where that is not known any more. */
  arrived_timestamp: z.string().nullable(),
  confined_to: confinedTo,
  /** Null when the receipt was deleted. */
  figures: receiptFigures.nullable(),
});

export type ChangedReceipt = z.output<typeof change>;

/**
 * Events are how others hear of receipts quickly; this is how they are right, also after a broker lost what it held: every
 * receipt that arrived or changed since a moment, as it is now.
 */
export const listChanges = defineQuery({
  name: 'receipt-store.list-changes',
  summary: 'Receipts that arrived or changed',
  description:
    'Internal. Of the retailer of the call. Begins with the first receipt where `after` is null, else behind an earlier answer, of which it is ' +
    'the `next`. Nothing is left out but the arrivals up to the number `arrived`, which the caller knows; what changed within the last minute may come ' +
    'again, and `version` tells. `more` says that another page is there already.',
  body: z.object({
    after: z.string().nullable(),
    arrived: z.int().min(0).optional(),
    count: z.int().min(1).max(changesMax),
  }),
  output: z.object({
    changes: z.array(change),
    /** The number of the last arrival that is in this page, in one before it, or known to the caller. */
    arrived: z.int(),
    next: z.string(),
    more: z.boolean(),
  }),
});
