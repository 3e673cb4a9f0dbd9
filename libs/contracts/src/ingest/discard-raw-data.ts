import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** As found by find-raw-data: a packet that has changed since then is left as it is. */
const packets = z.array(z.object({ id: z.string(), version: z.int() }));

/** Sent by receipt-store, once it has checked that no receipt needs this data. */
export const discardRawData = defineCommand({
  name: 'ingest.discard-raw-data',
  summary: 'Delete raw data that no receipt needs',
  description:
    'Internal. Deletes the content of `packets` and `attachments`, and removes the identifier from packets in `anonymized`. Not complete if a packet has changed since it was found, or while events of an attachment are being published.',
  body: z.object({ packets, attachments: z.array(z.string()), anonymized: packets }),
  output: z.object({ is_complete: z.boolean() }),
});
