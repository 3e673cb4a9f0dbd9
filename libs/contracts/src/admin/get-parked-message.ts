import { defineQuery, flag, text } from '@receipts/kernel';
import { z } from 'zod';
import { parkedMessage, parkedMessageNotFound, parkedTimeoutMs, queueNotFound } from './parked-message';

/** Shows the content of a message, so that the operator can decide whether to replay or discard it. */
export const getParkedMessage = defineQuery({
  name: 'admin.get-parked-message',
  summary: 'Read a parked message',
  description: 'With its content: the event, or the items of a command.',
  http: { method: 'GET', path: '/operator/messages/parked/{id}', access: 'operator', success: 200 },
  params: z.object({ id: z.string().max(255) }),
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    queue: text({ max: 255, description: 'The queue that it came from.' }),
  }),
  output: parkedMessage.extend({ content: z.unknown() }),
  errors: [queueNotFound, parkedMessageNotFound],
  timeoutMs: parkedTimeoutMs,
});
