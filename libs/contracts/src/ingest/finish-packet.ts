import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { conversionOutcome } from './packet';

/** Sent by transform with the outcome of each attempt to convert a packet. */
export const finishPacket = defineCommand({
  name: 'ingest.finish-packet',
  summary: 'Record what became of a packet',
  description:
    'Sent by transform. `attempt` is the one that convert-packet named: what a superseded attempt failed with is ignored.',
  body: conversionOutcome.extend({ id: z.string(), attempt: z.number().int() }),
});
