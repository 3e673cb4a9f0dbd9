import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { commaSeparatedList, integer, text } from '../shared/query-parameters';
import { pageCount, unknownCursor } from '../shared/paging';

/** The maximum time in seconds to wait for an event. */
const eventsWaitSecondsMax = 30;
export const cursorExpired = {
  status: 410,
  code: 'cursor_expired',
  description:
    'events after this cursor no longer exist: they are too old, or were lost with a restored backup',
};

/** CloudEvents 1.0, structured JSON, with the extensions of this platform. */
export const cloudEvent = z.object({
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
  datacontenttype: z.string().meta({ description: 'The media type of `data`: always `application/json`.' }),
  dataschema: z
    .string()
    .meta({ description: 'The path of the JSON Schema of `data`, relative to the base URL.' }),
  retailer: z.string().meta({ description: 'The id of the retailer that the event belongs to.' }),
  sequence: z.int().meta({
    description: 'The version of the subject, which orders its events. Not every version has an event.',
  }),
  correlationid: z
    .string()
    .meta({ description: 'The `request-id` of the request that started the chain of events.' }),
  causationid: z.string().optional().describe('The id of the message that caused the event.'),
  traceparent: z.string().optional().describe('The W3C trace context of the cause, if there is one.'),
  data: z.unknown().meta({ description: 'The data of the event. `dataschema` is the path of its schema.' }),
});

/** For integrators that can use neither a queue nor webhooks. The feed is complete and can be read repeatedly. */
export const listEvents = defineQuery(
  {
    name: 'delivery.list-events',
    summary: 'Read the event feed',
    description:
      'Returns the events after a cursor, oldest first. A reader that follows `_links.next` does not miss any event. Without `after`, the feed starts now: the first request of a retailer starts the recording, which ends 30 days after the last one. Events are kept for 30 days (the retailer setting `event_days`). If events after the cursor were deleted or not recorded, or if the cursor is newer than a restored backup, the response is 410 `cursor_expired`: start again without `after`.',
    permission: 'view.get_events',
    http: { method: 'GET', path: '/events', success: 200, consumerScoped: true },
    query: z.object({
      after: text({
        max: 128,
        description: 'The cursor after which the page starts, taken from `_links.next`.',
        example: '1042',
      }).optional(),
      types: commaSeparatedList({
        max: 50,
        description: 'Only return events of these types or globs, separated by commas.',
        example: 'receipt.*',
      }).optional(),
      wait: integer({
        min: 0,
        max: eventsWaitSecondsMax,
        description: 'How long to wait for an event if there is none, in seconds. Defaults to 0.',
        example: 30,
      }).optional(),
      count: pageCount,
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
    errors: [unknownCursor, cursorExpired],
  },
  {
    poll: {
      waitSeconds: ({ query }) => query.wait ?? 0,
      nextQuery: ({ isEmpty, after }) => (isEmpty ? { after } : undefined),
    },
  },
);
