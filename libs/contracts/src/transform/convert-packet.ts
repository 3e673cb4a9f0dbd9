import { bytes, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { packetToConvert } from './packet-to-convert';

/** Ingest keeps a packet that is to become receipts. It comes again until finish-packet says what became of it. */
export const convertPacket = defineCommand({
  name: 'transform.convert-packet',
  summary: 'Convert a packet that is kept',
  description: 'The body is the raw bytes. The first receipt gets the id of the packet.',
  params: packetToConvert.extend({ attempt: z.number().int() }),
  body: bytes('body'),
});
