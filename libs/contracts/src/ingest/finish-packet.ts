import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { conversionOutcome } from './packet';

/** Sent by transform with the outcome of each attempt to convert a packet. */
export const finishPacket = defineCommand({
  name: 'ingest.finish-packet',
  summary: 'Record the outcome of a packet',
  description:
    'Sent by transform. `attempt` repeats the number from convert-packet: a failure of a superseded attempt is ignored.',
  body: conversionOutcome.extend({ id: z.string(), attempt: z.number().int() }),
});
