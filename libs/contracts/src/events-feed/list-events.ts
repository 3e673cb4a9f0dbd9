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
  specversion: z.literal('1.0').meta({ description: 'The version of CloudEvents.' }),
  id: z
    .string()
    .meta({ description: 'The id of the event. An event that is delivered again has the same id.' }),
  source: z
    .string()
    .meta({ description: 'The collection of the subject, `/retailers/<retailer>/<collection>`.' }),
  type: z.string().meta({ description: 'The type of the event, such as `receipt.created`.' }),
  subject: z.string().meta({ description: 'The id of the object that the event is about.' }),
  time: z.string().meta({ description: 'When the event occurred, ISO 8601 in UTC.' }),
  datacontenttype: z.string().meta({ description: 'The media type of `data`, always `application/json`.' }),
  dataschema: z
    .string()
    .meta({ description: 'The path of the JSON Schema of `data`, relative to the base URL.' }),
  retailer: z.string().meta({ description: 'The id of the retailer that the event belongs to.' }),
  sequence: z
    .int()
    .meta({ description: 'The version of the subject. A gap shows that an event was missed.' }),
  correlationid: z
    .string()
    .meta({ description: 'The `request-id` of the request that started the chain of events.' }),
  causationid: z.string().meta({ description: 'The id of the message that caused the event.' }).optional(),
  traceparent: z.string().meta({ description: 'The W3C trace context of the cause.' }).optional(),
  data: z.unknown().meta({ description: 'The payload. Its schema is given by `dataschema`.' }),
});

/** For integrators that can use neither a queue nor webhooks. The feed is complete and can be read repeatedly. */
export const listEvents = defineQuery(
  {
    name: 'delivery.list-events',
    summary: 'Read the feed of events',
    description:
      'Oldest first. `_links.next` goes on after the last event; a reader that follows it gets every event, however many are written at once. Without `after` it begins now: the first call of a retailer starts the recording, and its `_links.next` is where to go on. Events are kept for 30 days (`event_days` of the retailer). A cursor is 410 `cursor_expired` when events after it are too old to be kept, and after a restore from a backup when it is newer than the backup: start again without `after`.',
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
      events: z.array(cloudEvent).meta({ description: 'The events of this page, oldest first.' }),
      _links: z
        .object({
          next: z
            .object({ href: z.string().meta({ description: 'A path, relative to the base URL.' }) })
            .meta({ description: 'Continues after the last event of this page. It is always present.' }),
        })
        .meta({ description: 'Links to other pages.' }),
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
