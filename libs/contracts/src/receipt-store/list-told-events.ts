import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/** Ids are short: a page of these costs less than one of receipts. */
export const toldMax = 1_000;

const told = z.object({
  /** The receipt. */
  id: z.string(),
  /** When it arrived or was changed at last. */
  at: z.string(),
  /** The ids of the events that can be told again. */
  events: z.array(z.string()),
});

/** Says of what receipt-store has told the world, so that who keeps its events can find out which of them never came. */
export const listToldEvents = defineQuery({
  name: 'receipt-store.list-told-events',
  summary: 'What was told of receipts',
  description:
    'Internal. Of the retailer of the call: the receipts that arrived or changed behind an earlier answer, of which `after` is the `next`, with the ' +
    'ids of their events. Null begins with what comes from now on. What has just been told is left to a later answer, since its events may be on their way.',
  body: z.object({ after: z.string().nullable(), count: z.int().min(1).max(toldMax) }),
  output: z.object({ told: z.array(told), next: z.string(), more: z.boolean() }),
});
