import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { failureReasons } from './packet';

/** Converts all failed packets again, optionally those with one reason or mapping. */
export const reprocessPackets = defineCommand({
  name: 'ingest.reprocess-packets',
  summary: 'Convert failed raw receipts again',
  description:
    'Converts failed packets again, in the background: all of them, or only those selected by `reason` and `mapping`. Packets whose data was deleted are left out.',
  permission: 'view.reprocess_packet',
  http: { method: 'POST', path: '/pos/packets/_reprocess', success: 202 },
  body: {
    ...json(
      z.strictObject({
        reason: z
          .enum(failureReasons)
          .optional()
          .describe('Only convert packets that failed for this reason.'),
        mapping: z
          .string()
          .min(1)
          .max(100)
          .optional()
          .describe('Only convert packets that failed with this mapping.'),
      }),
    ),
    optional: true,
  },
  output: z.object({
    count: z.number().int().describe('The number of packets that will be converted again.'),
  }),
});
