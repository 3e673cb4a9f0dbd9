import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { untrustedContentHeaders } from './attachment';
import { packetDeleted, packetNotFound, packetParams } from './packet';

/** Returns the bytes as the till sent them, whether or not the conversion succeeded, until they are deleted. */
export const getPacketRaw = defineQuery(
  {
    name: 'ingest.get-packet-raw',
    summary: 'Get the data of a raw receipt',
    description:
      'Returns the data and the content type as posted. The data is deleted together with the last receipt of the packet, when its last consumer is erased, or after the retention period.',
    permission: 'view.get_packet',
    http: { method: 'GET', path: '/pos/packets/{id}/raw', success: 200, consumerScoped: true },
    params: packetParams,
    output: rawOutput,
    meta: z.object({ contentType: z.string(), id: z.string() }),
    errors: [packetNotFound, packetDeleted],
  },
  { response: ({ id }) => ({ headers: untrustedContentHeaders(`${id}.bin`) }) },
);
