import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { packetDeleted, packetNotFound, packetParams } from './packet';

/** Converts a failed packet again after its mapping has been fixed. */
export const reprocessPacket = defineCommand({
  name: 'ingest.reprocess-packet',
  summary: 'Convert a raw receipt again',
  description:
    'Converts a failed packet again, for example after its mapping has been fixed. A packet that is still being converted is not affected.',
  permission: 'view.reprocess_packet',
  http: { method: 'POST', path: '/pos/packets/{id}/_reprocess', success: 202 },
  params: packetParams,
  errors: [
    packetNotFound,
    { status: 409, code: 'packet_converted', description: 'the packet has already been converted' },
    { ...packetDeleted, status: 422 },
    concurrentWrite,
  ],
});
