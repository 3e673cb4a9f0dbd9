import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { packetNotFound, packetView } from './packet';

/** Shows why a receipt is missing. */
export const getPacket = defineQuery({
  name: 'ingest.get-packet',
  summary: 'Get what became of a raw receipt',
  description: 'The id is that of the packet, or of any receipt that it was converted into.',
  permission: 'view.get_packet',
  http: { method: 'GET', path: '/pos/packets/{id}', success: 200 },
  params: z.object({ id: z.string() }),
  output: packetView,
  errors: [packetNotFound],
});
