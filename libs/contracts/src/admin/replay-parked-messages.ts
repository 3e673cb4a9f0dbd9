import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { parkedSelection, parkedTimeoutMs, queueNotFound } from './parked-message';

/** Processes parked messages again after the cause of their failure was fixed. */
export const replayParkedMessages = defineCommand({
  name: 'admin.replay-parked-messages',
  summary: 'Replay parked messages',
  description:
    'Sends them back to their queue, with the same ids and their attempts counted anew. Ids that are not there are passed over; the answer says how many were replayed.',
  http: { method: 'POST', path: '/operator/messages/parked/_replay', access: 'operator', success: 200 },
  body: json(parkedSelection),
  output: z.object({ replayed: z.int() }),
  errors: [queueNotFound],
  timeoutMs: parkedTimeoutMs,
  examples: { request: { queue: 'delivery.on-receipt-created', all: true } },
});
