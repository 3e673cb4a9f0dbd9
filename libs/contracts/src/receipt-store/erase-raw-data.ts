import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** Used when a consumer is erased, after their receipts: it covers packets that were never converted. */
export const eraseRawData = defineCommand({
  name: 'receipt-store.erase-raw-data',
  summary: 'Erase a consumer from raw data',
  description:
    'Internal. Deletes the content of packets that were posted with this identifier, and removes the identifier from packets whose content other receipts need. Not complete while such a packet is being converted; repeat the command until it is.',
  body: z.object({ identifier: z.string() }),
  output: z.object({ is_complete: z.boolean() }),
});
