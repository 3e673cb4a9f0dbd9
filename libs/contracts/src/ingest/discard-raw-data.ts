import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/**
 * Sent by receipt-store after it has deleted or erased receipts. Only ingest knows which receipts a packet became, and
 * only receipt-store knows which of them still need its raw data.
 */
export const discardRawData = defineCommand({
  name: 'ingest.discard-raw-data',
  summary: 'Delete raw data that no receipt needs',
  description:
    'Internal. Deletes the content of these packets and attachments, unless a receipt still needs it. Not complete while a packet is being converted or its events are being published; repeat the command until it is.',
  body: z.object({
    packets: z.array(z.string()).max(200),
    attachments: z.array(z.string()).max(200),
  }),
  output: z.object({ is_complete: z.boolean() }),
});
