import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { untrustedContentHeaders } from './attachment';
import { packetNotFound, packetParams } from './packet';

/** Returns the bytes as the till sent them. They are kept whether or not the conversion succeeds. */
export const getPacketRaw = defineQuery(
  {
    name: 'ingest.get-packet-raw',
    summary: 'Get the data of a raw receipt',
    description: 'Returns the data and the content type as posted.',
    permission: 'view.get_packet',
    http: { method: 'GET', path: '/pos/packets/{id}/raw', success: 200 },
    params: packetParams,
    output: rawOutput,
    meta: z.object({ contentType: z.string(), id: z.string() }),
    errors: [packetNotFound],
  },
  { answer: ({ id }) => ({ headers: untrustedContentHeaders(`${id}.bin`) }) },
);
