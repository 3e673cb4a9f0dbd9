import { defineQuery } from '@receipts/kernel';
import { packetNotFound, packetParams, packetView } from './packet';

/** Shows why a receipt is missing. */
export const getPacket = defineQuery({
  name: 'ingest.get-packet',
  summary: 'Get a raw receipt',
  description: 'Returns the state of a packet, and the errors if it could not be converted.',
  permission: 'view.get_packet',
  http: { method: 'GET', path: '/pos/packets/{id}', success: 200, consumerScoped: true },
  params: packetParams,
  output: packetView,
  errors: [packetNotFound],
});
