import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** Sent by receipt-store, which applies the retention period of each retailer, for the data that no receipt needs. */
export const expireRawData = defineCommand({
  name: 'ingest.expire-raw-data',
  summary: 'Delete old raw data without receipts',
  description:
    'Internal. Deletes the content of packets without receipts, and of attachments that no receipt refers to, if they arrived before this time. Runs for about a second; repeat the command with the returned position until that is null.',
  body: z.object({ before: z.string(), after: z.string().nullable() }),
  output: z.object({ count: z.int(), next: z.string().nullable() }),
});
