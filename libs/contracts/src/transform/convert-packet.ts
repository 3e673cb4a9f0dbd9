import { bytes, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { packetToConvert } from './packet-to-convert';

/** Requests the conversion of a stored packet. Ingest retries it until finish-packet reports the outcome. */
export const convertPacket = defineCommand({
  name: 'transform.convert-packet',
  summary: 'Convert a stored packet',
  description:
    'The body is the raw bytes. The first receipt gets the id of the packet, unless `receiptId` is given.',
  params: packetToConvert.extend({ attempt: z.number().int() }),
  body: bytes('body'),
});
