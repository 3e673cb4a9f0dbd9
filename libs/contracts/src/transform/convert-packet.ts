import { bytes, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentLink, packetMetadata } from '../ingest/packet-facts';

/** The data of a packet that conversion needs besides its bytes. */
const packetToConvert = z.object({
  id: z.string(),
  attempt: z.number().int(),
  /** The id of the first receipt, if it differs from the packet's id because the receipt uses a reserved link. */
  receiptId: z.string().optional(),
  packetContentType: z.string().nullable(),
  metadata: packetMetadata,
  properties: z.record(z.string(), z.string()),
  attachments: z.array(attachmentLink),
  receivedTimestamp: z.string(),
});
export type PacketToConvert = z.output<typeof packetToConvert>;

/** Sent by ingest for each packet that it has stored, and again until finish-packet reports the outcome. */
export const convertPacket = defineCommand(
  {
    name: 'transform.convert-packet',
    summary: 'Convert a stored packet',
    description:
      'The body is the raw bytes. The first receipt gets the id of the packet, unless `receiptId` is given. A packet with receipts continues to add-converted-receipts; any other outcome returns to finish-packet.',
    params: packetToConvert,
    body: bytes('body'),
  },
  { oneWay: () => true },
);
