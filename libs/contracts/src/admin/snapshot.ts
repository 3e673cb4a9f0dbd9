import { z } from 'zod';

/** The maximum number of entries in a response of a snapshot query. */
export const snapshotCountMax = 500;

/** A page of a snapshot over all retailers. `after` is the `next` of the previous response. */
export const snapshotPage = z.object({
  after: z.string().optional(),
  count: z.int().min(1).max(snapshotCountMax),
});

export const snapshotNext = z.string().nullable();
