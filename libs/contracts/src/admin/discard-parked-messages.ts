import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { parkedSelection, parkedTimeoutMs, queueNotFound } from './parked-message';

/** Deletes parked messages that are no longer needed. */
export const discardParkedMessages = defineCommand({
  name: 'admin.discard-parked-messages',
  summary: 'Discard parked messages',
  description:
    'Removes them for good. Ids that are not there are passed over; the answer says how many were discarded.',
  http: { method: 'POST', path: '/operator/messages/parked/_discard', access: 'operator', success: 200 },
  body: json(parkedSelection),
  output: z.object({ discarded: z.int() }),
  errors: [queueNotFound],
  timeoutMs: parkedTimeoutMs,
  examples: { request: { queue: 'delivery.on-receipt-created', all: true } },
});
