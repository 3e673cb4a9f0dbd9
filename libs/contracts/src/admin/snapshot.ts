import { z } from 'zod';

/** The most entries that one answer of a snapshot query holds. */
export const snapshotCountMax = 500;

/** A walk through everything, of every retailer. `after` is the `next` of the answer before. */
export const snapshotPage = z.object({
  after: z.string().optional(),
  count: z.int().min(1).max(snapshotCountMax),
});

export const snapshotNext = z.string().nullable();
