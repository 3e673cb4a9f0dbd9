import { bytes, defineCommand } from '@receipts/kernel';
import { conversionOutcome } from '../ingest/packet';
import { packetToConvert } from './packet-to-convert';

/**
 * Usually ingest requests the receipts of a packet before it stores the packet, so that it writes the packet once, in its
 * final state. The broker keeps the message until then. If the till waits, for example with an idempotency key, ingest
 * stores the packet first and then converts it from memory. If the response is late, it requests the conversion of the
 * stored packet with convert-packet, which finds the receipts that were already stored.
 */
export const convertArrival = defineCommand({
  name: 'transform.convert-arrival',
  summary: 'Convert a packet that has just arrived',
  description:
    'The body is the raw bytes. The first receipt gets the id of the packet, unless `receiptId` is given. The query may be repeated.',
  params: packetToConvert,
  body: bytes('body'),
  output: conversionOutcome,
});
