import { z } from 'zod';
import { attachmentLink, packetMetadata } from '../ingest/packet-facts';

/** The data of a packet that conversion needs besides its bytes. */
export const packetToConvert = z.object({
  id: z.string(),
  /** The id of the first receipt, if it differs from the packet's id because the receipt uses a reserved link. */
  receiptId: z.string().optional(),
  packetContentType: z.string().nullable(),
  metadata: packetMetadata,
  properties: z.record(z.string(), z.string()),
  attachments: z.array(attachmentLink),
  receivedTimestamp: z.string(),
});
export type PacketToConvert = z.output<typeof packetToConvert>;
