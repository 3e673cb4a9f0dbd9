import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';

const order = z.strictObject({
  from_start: z
    .boolean()
    .optional()
    .describe('Whether to read all receipts again, instead of only new receipts. Defaults to `false`.'),
});

export const catchUpSummaries = defineCommand({
  name: 'identifier.catch-up-summaries',
  summary: 'Recover missed summaries and rewards',
  description:
    'Compares summaries, identifiers and rewards with the receipts from which they are derived, and corrects them, in the background. ' +
    'The service also does this when it starts, after the broker was unavailable, and periodically.',
  http: {
    method: 'POST',
    path: '/operator/services/identifier/_catch_up',
    access: 'operator',
    success: 202,
  },
  body: json(order),
  examples: { request: { from_start: true } },
});
