import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { text } from '../shared/query-parameters';
import { listLinks } from '../shared/fields';
import { pageCount, pageCursor, unknownCursor } from '../shared/paging';
import { deadLetter, deadLettersTimeoutMs, queueNotFound } from './dead-letter';

/**
 * Lists messages that could not be processed. They are kept until the operator replays or discards them, so that no
 * accepted message is lost.
 */
export const listDeadLetters = defineQuery({
  name: 'admin.list-dead-letters',
  summary: 'List dead letters',
  description: 'Returns messages that could not be processed, newest first, from one queue or from all.',
  http: { method: 'GET', path: '/operator/messages/dead-letters', access: 'operator', success: 200 },
  query: z.object({
    queue: text({
      max: 255,
      description: 'Only return messages that failed in this queue.',
      example: 'ingest.commands',
    }).optional(),
    count: pageCount,
    older: pageCursor(255),
  }),
  output: z.object({
    messages: z.array(deadLetter).describe('The messages of this page, newest first.'),
    queues: z
      .array(
        z.object({
          queue: z.string().describe('The name of the queue.'),
          dead_letters: z.int().describe('The number of dead letters, counted up to 10,000.'),
        }),
      )
      .describe('All queues with dead letters.'),
    _links: listLinks,
  }),
  errors: [queueNotFound, unknownCursor],
  timeoutMs: deadLettersTimeoutMs,
});
