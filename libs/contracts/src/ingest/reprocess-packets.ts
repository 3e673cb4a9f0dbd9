import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { failureReasons } from './packet';

/** Converts all failed packets again, optionally those with one reason or mapping. */
export const reprocessPackets = defineCommand({
  name: 'ingest.reprocess-packets',
  summary: 'Convert failed raw receipts again',
  description:
    'Takes every packet that failed: with `reason`, those that failed for it; with `mapping`, those that failed in it.',
  permission: 'view.reprocess_packet',
  http: { method: 'POST', path: '/pos/packets/_reprocess', success: 202 },
  body: {
    ...json(
      z.strictObject({
        reason: z.enum(failureReasons).optional(),
        mapping: z.string().min(1).max(100).optional(),
      }),
    ),
    optional: true,
  },
  output: z.object({ count: z.number().int() }),
});
