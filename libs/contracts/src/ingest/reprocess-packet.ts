import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { packetNotFound } from './packet';

/** Converts a failed packet again after its mapping was fixed. */
export const reprocessPacket = defineCommand({
  name: 'ingest.reprocess-packet',
  summary: 'Convert a raw receipt again',
  description: 'For a packet that failed. One that is still being converted is left to it.',
  permission: 'view.reprocess_packet',
  http: { method: 'POST', path: '/pos/packets/{id}/_reprocess', success: 202 },
  params: z.object({ id: z.string() }),
  errors: [
    packetNotFound,
    { status: 409, code: 'packet_converted', description: 'the packet has been converted already' },
    concurrentWrite,
  ],
});
