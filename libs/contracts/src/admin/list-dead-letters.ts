import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { unknownCursor } from '../shared/paging';
import { deadLetter, deadLettersTimeoutMs, queueNotFound } from './dead-letter';

/**
 * Lists messages that could not be processed. They are kept until the operator replays or discards them, so that no
 * accepted message is lost.
 */
export const listDeadLetters = defineQuery({
  name: 'admin.list-dead-letters',
  summary: 'List dead letters',
  description:
    'What could not be processed, with its reason, of one queue or of all. The newest comes first. `_links.next` is there while older ones follow.',
  http: { method: 'GET', path: '/operator/messages/dead-letters', access: 'operator', success: 200 },
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
    messages: z.array(deadLetter),
    queues: z
      .array(z.object({ queue: z.string(), dead_letters: z.int() }))
      .meta({ description: 'The number of dead letters of each queue, counted up to 10,000.' }),
    _links: listLinks,
  }),
  errors: [queueNotFound, unknownCursor],
  timeoutMs: deadLettersTimeoutMs,
});
