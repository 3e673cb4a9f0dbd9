import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

const ids = z.array(z.string());

const selection = z.union([
  /** The packets of deleted or erased receipts. */
  z.object({ packets: ids.max(200) }),
  /** The packets that were posted with this identifier. */
  z.object({ identifier: z.string() }),
  /** The packets without receipts and the attachments that arrived before this time, from a position on. */
  z.object({ before: z.string(), after: z.string().nullable() }),
]);
export type RawDataSelection = z.output<typeof selection>;

/**
 * Asked by receipt-store before it deletes raw data: only ingest knows which receipts a packet became, and only
 * receipt-store knows which of them still need it.
 */
export const findRawData = defineQuery({
  name: 'ingest.find-raw-data',
  summary: 'Find raw data that may be deleted',
  description:
    'Internal. Returns packets that have content, with their receipts and attachments, and for `before` a page of attachments. Omits packets that are being converted or whose events are being published; `is_complete` is then false, as it is while a packet of the list is unknown. `next` is the position of the next page, null at the end.',
  body: selection,
  output: z.object({
    packets: z.array(z.object({ id: z.string(), version: z.int(), receipts: ids, attachments: ids })),
    attachments: ids,
    is_complete: z.boolean(),
    next: z.string().nullable(),
  }),
});
