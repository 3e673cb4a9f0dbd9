import { defineQuery, flag, text } from '@receipts/kernel';
import { z } from 'zod';
import { deadLetter, deadLetterNotFound, deadLettersTimeoutMs, queueNotFound } from './dead-letter';

/** Shows the content of a message, so that the operator can decide whether to replay or discard it. */
export const getDeadLetter = defineQuery({
  name: 'admin.get-dead-letter',
  summary: 'Read a dead letter',
  description: 'With its content: the event, or the items of a command.',
  http: { method: 'GET', path: '/operator/messages/dead-letters/{id}', access: 'operator', success: 200 },
  params: z.object({ id: z.string().max(255) }),
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    queue: text({ max: 255, description: 'The queue that it came from.' }),
  }),
  output: deadLetter.extend({ content: z.unknown() }),
  errors: [queueNotFound, deadLetterNotFound],
  timeoutMs: deadLettersTimeoutMs,
});
