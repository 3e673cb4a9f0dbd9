import { z } from 'zod';
import { attachmentLink, packetMetadata } from '../ingest/packet-facts';

/** The data of a packet that conversion needs besides its bytes. */
export const packetToConvert = z.object({
  id: z.string(),
  /** The id of its first receipt, if that is not the packet's: the receipt of a link. */
  receiptId: z.string().optional(),
  packetContentType: z.string().nullable(),
  metadata: packetMetadata,
  properties: z.record(z.string(), z.string()),
  attachments: z.array(attachmentLink),
  receivedTimestamp: z.string(),
});
export type PacketToConvert = z.output<typeof packetToConvert>;
