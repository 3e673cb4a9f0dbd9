import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';

const order = z.strictObject({
  from_start: z
    .boolean()
    .optional()
    .describe(
      'Whether to read everything again, not only what is new: to rebuild what was lost or is in doubt.',
    ),
});

export const catchUpSummaries = defineCommand({
  name: 'identifier.catch-up-summaries',
  summary: 'Catch up summaries and rewards',
  description:
    'Compares what is derived from receipts (summaries, identifiers that receipts bring, rewards) with the receipts themselves, in the ' +
    'background. The service does so by itself when it starts, after the broker was away, and now and then; this is for whoever does not want to wait.',
  http: {
    method: 'POST',
    path: '/operator/services/identifier/_catch_up',
    access: 'operator',
    success: 202,
  },
  body: json(order),
  examples: { request: { from_start: true } },
});
