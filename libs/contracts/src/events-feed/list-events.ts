import { defineQuery, flag, integer, text, vector } from '@receipts/kernel';
import { z } from 'zod';
import { unknownCursor } from '../shared/paging';
import { consumerNotAllowed } from '../webhooks/endpoint';

/** The maximum time in seconds to wait for an event. */
const eventsWaitSecondsMax = 30;
export const cursorExpired = {
  status: 410,
  code: 'cursor_expired',
  description:
    'events after this cursor are no longer there: they are too old, or were lost with a restored backup',
};

/** CloudEvents 1.0, structured JSON, with the extensions of this platform. */
const cloudEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.string(),
  datacontenttype: z.string(),
  dataschema: z.string(),
  retailer: z.string(),
  sequence: z.int().meta({ description: 'The version of the subject: a gap shows that one was missed.' }),
  correlationid: z.string(),
  causationid: z.string().optional(),
  traceparent: z.string().optional(),
  data: z.unknown(),
});

/** For integrators that can use neither a queue nor webhooks. The feed is complete and can be read repeatedly. */
export const listEvents = defineQuery(
  {
    name: 'delivery.list-events',
    summary: 'Read the feed of events',
    description:
      'Oldest first. `_links.next` goes on after the last event; whoever follows it gets every event, however many are written at once. Without `after` it begins now: the first call of a retailer starts the recording, and its `_links.next` is where to go on. Events are kept for 30 days (`event_days` of the retailer). A cursor is 410 `cursor_expired` when events after it are too old to be kept, and after a restore from a backup when it is newer than the backup: start again without `after`.',
    permission: 'view.get_events',
    http: { method: 'GET', path: '/events', success: 200 },
    query: z.object({
      pretty: flag('Readable formatting').optional(),
      after: text({ max: 128, description: 'From `_links.next`.' }).optional(),
      types: vector({ max: 50, description: 'Types of events, or globs such as `receipt.*`.' }).optional(),
      wait: integer({
        min: 0,
        max: eventsWaitSecondsMax,
        description: 'Seconds to wait for an event when there is none; 0 when it is not given.',
      }).optional(),
      count: integer({
        min: 1,
        max: 100,
        description: 'Events on a page; 100 when it is not given.',
      }).optional(),
    }),
    output: z.object({
      events: z.array(cloudEvent),
      _links: z.object({ next: z.object({ href: z.string() }) }),
    }),
    meta: z.object({ isEmpty: z.boolean(), after: z.string() }),
    errors: [unknownCursor, cursorExpired, consumerNotAllowed],
  },
  {
    poll: {
      waitSeconds: ({ query }) => query.wait ?? 0,
      again: ({ isEmpty, after }) => (isEmpty ? { after } : undefined),
    },
  },
);
