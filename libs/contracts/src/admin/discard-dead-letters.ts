import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { deadLetterSelection, deadLettersTimeoutMs, queueNotFound } from './dead-letter';

/** Deletes dead letters that are no longer needed. */
export const discardDeadLetters = defineCommand({
  name: 'admin.discard-dead-letters',
  summary: 'Discard dead letters',
  description:
    'Removes them for good. Ids that are not there are passed over; the answer says how many were discarded.',
  http: {
    method: 'POST',
    path: '/operator/messages/dead-letters/_discard',
    access: 'operator',
    success: 200,
  },
  body: json(deadLetterSelection),
  output: z.object({ discarded: z.int() }),
  errors: [queueNotFound],
  timeoutMs: deadLettersTimeoutMs,
  examples: { request: { queue: 'delivery.on-receipt-created', all: true } },
});
