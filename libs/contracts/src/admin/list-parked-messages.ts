import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { unknownCursor } from '../shared/paging';
import { parkedMessage, parkedTimeoutMs, queueNotFound } from './parked-message';

/**
 * Lists messages that could not be processed. They are parked until the operator replays or discards them, so that no
 * accepted message is lost.
 */
export const listParkedMessages = defineQuery({
  name: 'admin.list-parked-messages',
  summary: 'List parked messages',
  description:
    'What could not be processed, with its reason, of one queue or of all. The newest comes first. `_links.next` is there while older ones follow.',
  http: { method: 'GET', path: '/operator/messages/parked', access: 'operator', success: 200 },
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    queue: text({ max: 255, description: 'Only of this queue.' }).optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Messages on a page; 100 when it is not given.',
    }).optional(),
    older: text({ max: 255, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({
    messages: z.array(parkedMessage),
    queues: z
      .array(z.object({ queue: z.string(), parked: z.int() }))
      .meta({ description: 'How many messages of each queue are parked, counted up to 10,000.' }),
    _links: listLinks,
  }),
  errors: [queueNotFound, unknownCursor],
  timeoutMs: parkedTimeoutMs,
});
