import { defineQuery, type EventRecord } from '@receipts/kernel';
import { z } from 'zod';

/** Entries contain only ids, so that pages can be larger than those with events. */
export const publishedPageMax = 1_000;
/** Each event of a receipt contains the whole receipt. */
export const foundEventsMax = 20;

const entry = z.object({
  /** The id of the entry, used to request its events. */
  id: z.string(),
  /** When the events occurred. */
  at: z.string(),
  /** The ids of the events that can be requested. */
  events: z.array(z.string()).readonly(),
});

/**
 * The contracts of every service that publishes events. They allow other services to recover events that the broker has
 * lost.
 */
export const publishedEventsOf = (owner: string) => ({
  listPublishedEvents: defineQuery({
    name: `${owner}.list-published-events`,
    summary: 'List published events',
    description:
      'Internal. Lists the ids of the events that the service has published for the calling retailer, after the `next` of an earlier response. ' +
      '`null` starts at the current end. The newest events are left to a later response, because they may still be in transit. ' +
      'Events shortly before the end of a response may be listed again in the next response.',
    body: z.object({ after: z.string().nullable(), count: z.int().min(1).max(publishedPageMax) }),
    output: z.object({ entries: z.array(entry), next: z.string(), more: z.boolean() }),
  }),
  findPublishedEvents: defineQuery({
    name: `${owner}.find-published-events`,
    summary: 'Find published events',
    description:
      'Internal. Returns the public events of subjects, or of entries from `list-published-events`, with their original ids, times and versions. ' +
      'The events of a receipt show its current state, because earlier states are not stored.',
    body: z.object({ ids: z.array(z.string()).min(1).max(foundEventsMax) }),
    output: z.object({ events: z.array(z.custom<EventRecord>()) }),
  }),
});
