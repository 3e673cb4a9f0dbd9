import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { deadLetterSelection, deadLettersTimeoutMs, queueNotFound } from './dead-letter';

/** Deletes dead letters that are no longer needed. */
export const discardDeadLetters = defineCommand({
  name: 'admin.discard-dead-letters',
  summary: 'Discard dead letters',
  description: 'Deletes the selected messages permanently. Unknown ids are ignored.',
  http: {
    method: 'POST',
    path: '/operator/messages/dead-letters/_discard',
    access: 'operator',
    success: 200,
  },
  body: json(deadLetterSelection),
  output: z.object({ discarded: z.int().describe('The number of messages that were deleted.') }),
  errors: [queueNotFound],
  timeoutMs: deadLettersTimeoutMs,
  examples: { request: { queue: 'delivery.on-receipt-recorded-or-deleted', all: true } },
});
