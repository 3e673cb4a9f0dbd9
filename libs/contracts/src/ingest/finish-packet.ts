import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { conversionOutcome } from './packet';

/**
 * Ends each attempt to convert a packet. Sent by the service in which the attempt ends: by receipt-store once it has handled
 * the packet's receipts, and by transform if there are none.
 */
export const finishPacket = defineCommand(
  {
    name: 'ingest.finish-packet',
    summary: 'Record the outcome of a packet',
    description:
      'Sent by receipt-store, or by transform for a packet without receipts. `attempt` repeats the number from convert-packet: a failure of a superseded attempt is ignored.',
    body: conversionOutcome.extend({ id: z.string(), attempt: z.number().int() }),
  },
  { oneWay: () => true },
);
