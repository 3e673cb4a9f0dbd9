import { bytes, defineCommand } from '@receipts/kernel';
import { conversionOutcome } from '../ingest/packet';
import { packetToConvert } from './packet-to-convert';

/**
 * A packet has arrived and is not written down yet: ingest asks what it becomes, so that it is written once, finished. The
 * broker holds it until then. An answer that does not come in time is no loss: ingest keeps the packet and orders its
 * conversion by convert-packet, which meets what was stored already.
 */
export const convertArrival = defineCommand({
  name: 'transform.convert-arrival',
  summary: 'Convert a packet that has just arrived',
  description: 'The body is the raw bytes. The first receipt gets the id of the packet. May be repeated.',
  params: packetToConvert,
  body: bytes('body'),
  output: conversionOutcome,
});
