import { defineQuery, type EventRecord } from '@receipts/kernel';
import { z } from 'zod';

/** Ids are short: a page of these costs less than one of events. */
export const toldMax = 1_000;
/** A receipt comes whole with each of its events. */
export const toldAgainMax = 20;

const told = z.object({
  /** What it is to be asked for by. */
  id: z.string(),
  /** When it happened. */
  at: z.string(),
  /** The ids of the events that can be told again. */
  events: z.array(z.string()).readonly(),
});

/**
 * What every service answers that tells the world anything. Events are how others hear quickly; this is how they hear at all
 * when a broker has lost what it held.
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
