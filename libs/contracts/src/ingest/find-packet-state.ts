import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { failureReasons, packetStates } from './packet';

/**
 * Distinguishes receipts that are still being converted from those that failed, by the receipt id assigned to a packet,
 * or by the external id posted with it.
 */
export const findPacketState = defineQuery({
  name: 'ingest.find-packet-state',
  summary: 'Find the state of a packet by the id or external id of its first receipt',
  description:
    '`unknown` means that no packet of this retailer has the id: its message may still be in transit. ' +
    'For a failed packet, the response includes the reason; `empty` is a converted packet without receipts.',
  body: z.union([z.object({ receipt_id: z.string() }), z.object({ external_id: z.string() })]),
  output: z.object({
    state: z.enum([...packetStates, 'unknown']),
    failed: z.object({ id: z.string(), reason: z.enum(failureReasons) }).optional(),
    empty: z.object({ id: z.string() }).optional(),
  }),
});
