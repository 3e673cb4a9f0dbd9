import { defineQuery, type EventRecord } from '@receipts/kernel';
import { z } from 'zod';

/** Entries contain only ids, so that pages can be larger than those with events. */
export const toldMax = 1_000;
/** Each event of a receipt contains the whole receipt. */
export const toldAgainMax = 20;

const told = z.object({
  /** The id by which its events are requested. */
  id: z.string(),
  /** The time at which it happened. */
  at: z.string(),
  /** The ids of the events that can be published again. */
  events: z.array(z.string()).readonly(),
});

/**
 * The contracts of every service that publishes events. They let other services recover events that the broker has
 * lost.
 */
export const toldEventsOf = <O extends string>(owner: O) => ({
  listToldEvents: defineQuery({
    name: `${owner}.list-told-events`,
    summary: 'What was told',
    description:
      'Internal. Of the retailer of the call: what was told of behind an earlier answer, of which `after` is the `next`, with the ids of its events. ' +
      'Null begins with what comes from now on. What has just been told is left to a later answer, since its events may be on their way; ' +
      'what was told shortly before an answer may be in the next one as well.',
    body: z.object({ after: z.string().nullable(), count: z.int().min(1).max(toldMax) }),
    output: z.object({ told: z.array(told), next: z.string(), more: z.boolean() }),
  }),
  tellEventsAgain: defineQuery({
    name: `${owner}.tell-events-again`,
    summary: 'Events, told again',
    description:
      'Internal. The public events of some of what `list-told-events` names, with the ids, times and versions that they had. Those of a receipt show ' +
      'it as it is now, as nobody keeps what it was.',
    body: z.object({ ids: z.array(z.string()).min(1).max(toldAgainMax) }),
    output: z.object({ events: z.array(z.custom<EventRecord>()) }),
  }),
});
