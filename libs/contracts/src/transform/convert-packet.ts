import { bytes, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentLink, packetMetadata } from '../ingest/packet-facts';

/** Ingest has a packet that is to become receipts. It comes again until finish-packet says what became of it. */
export const convertPacket = defineCommand({
  name: 'transform.convert-packet',
  summary: 'Convert a packet',
  description: 'The body is the raw bytes. The first receipt gets the id of the packet.',
  params: z.object({
    id: z.string(),
    attempt: z.number().int(),
    packetContentType: z.string().nullable(),
    metadata: packetMetadata,
    properties: z.record(z.string(), z.string()),
    attachments: z.array(attachmentLink),
    receivedTimestamp: z.string(),
  }),
  body: bytes('body'),
});
