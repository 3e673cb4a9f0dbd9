import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { queueParameter } from '../shared/fields';
import { deadLetter, deadLetterNotFound, deadLettersTimeoutMs, queueNotFound } from './dead-letter';

/** Shows the content of a message, so that the operator can decide whether to replay or discard it. */
export const getDeadLetter = defineQuery({
  name: 'admin.get-dead-letter',
  summary: 'Get a dead letter',
  description: 'Returns the message with its content: the event, or the items of the command.',
  http: { method: 'GET', path: '/operator/messages/dead-letters/{id}', access: 'operator', success: 200 },
  params: z.object({
    id: z
      .string()
      .max(255)
      .meta({ description: 'The id of the message.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
  }),
  query: z.object({
    queue: queueParameter,
  }),
  output: deadLetter.extend({
    content: z.unknown().describe('The event, or the items of the command, as they were sent.'),
  }),
  errors: [queueNotFound, deadLetterNotFound],
  timeoutMs: deadLettersTimeoutMs,
});
