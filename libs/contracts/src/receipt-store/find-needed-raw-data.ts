import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

const ids = z.array(z.string());

/** Ingest deletes the raw data of a packet once none of its receipts needs it. */
export const findNeededRawData = defineQuery({
  name: 'receipt-store.find-needed-raw-data',
  summary: 'Find receipts and attachments whose raw data is still needed',
  description:
    'Internal. Returns those of the receipts that are neither deleted nor erased, and those of the attachments that such a receipt refers to.',
  body: z.object({ receipts: ids, attachments: ids }),
  output: z.object({ receipts: ids, attachments: ids }),
});
