import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { failureReasons, packetStates } from './packet';

/**
 * Tells "promised but not there yet" from "will never come", for a receipt id that was allotted to a packet, or an external
 * id that was posted with one.
 */
export const findPacketState = defineQuery({
  name: 'ingest.find-packet-state',
  summary: 'The state of the packet whose first receipt has this id or external id',
  description:
    '`unknown` means that no packet of this retailer has the id: its message may still be on the way. Of a failed one it says why.',
  body: z.union([z.object({ receipt_id: z.string() }), z.object({ external_id: z.string() })]),
  output: z.object({
    state: z.enum([...packetStates, 'unknown']),
    failed: z.object({ id: z.string(), reason: z.enum(failureReasons) }).optional(),
  }),
});
