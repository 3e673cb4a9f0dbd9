import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { confinedTo, receiptFigures } from './internal-events';

export const changesMax = 200;

const change = z.object({
  id: z.string(),
  /** The `sequence` of the events. A caller that knows this or a later version can skip the change. */
  version: z.int(),
  /** The arrival position, as in `receipt.recorded`. */
  arrival: z.int(),
  /** The time of arrival; null if it is no longer known. */
  arrived_timestamp: z.string().nullable(),
  confined_to: confinedTo,
  /** Null if the receipt was deleted. */
  figures: receiptFigures.nullable(),
});

export type ChangedReceipt = z.output<typeof change>;

/**
 * Events inform other services quickly; this query makes their data complete, even if the broker loses messages. It
 * returns every receipt that has arrived or changed since a position, in its current state.
 */
export const listChanges = defineQuery({
  name: 'receipt-store.list-changes',
  summary: 'List receipts that arrived or changed',
  description:
    'Internal. Returns receipts of the calling retailer. Starts with the first receipt if `after` is null, otherwise at the `next` of an earlier response. Omits only arrivals up to the number `arrived`, which the caller already knows; changes from the last minute may be repeated, with the same `version`. `more` means ' +
    'that another page exists already.',
  body: z.object({
    after: z.string().nullable(),
    arrived: z.int().min(0).optional(),
    count: z.int().min(1).max(changesMax),
  }),
  output: z.object({
    changes: z.array(change),
    /** The number of the last arrival that is on this page or a previous one, or that the caller already knows. */
    arrived: z.int(),
    next: z.string(),
    more: z.boolean(),
  }),
});
