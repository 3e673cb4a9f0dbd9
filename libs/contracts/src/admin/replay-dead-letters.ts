import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { deadLetterSelection, deadLettersTimeoutMs, queueNotFound } from './dead-letter';

/** Processes dead letters again after the cause of their failure has been fixed. */
export const replayDeadLetters = defineCommand({
  name: 'admin.replay-dead-letters',
  summary: 'Replay dead letters',
  description:
    'Returns the selected messages to their queue, with the same ids and a new count of attempts. Unknown ids are ignored.',
  http: { method: 'POST', path: '/operator/messages/dead-letters/_replay', access: 'operator', success: 200 },
  body: json(deadLetterSelection),
  output: z.object({
    replayed: z.int().describe('The number of messages that were returned to their queue.'),
  }),
  errors: [queueNotFound],
  timeoutMs: deadLettersTimeoutMs,
  examples: { request: { queue: 'delivery.on-receipt-recorded-or-deleted', all: true } },
});
