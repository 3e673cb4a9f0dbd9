import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { conversionOutcome } from './packet';

/** What became of a packet that was ordered to be converted; transform says it after each attempt. */
export const finishPacket = defineCommand({
  name: 'ingest.finish-packet',
  summary: 'Record what became of a packet',
  description:
    'Sent by transform. `attempt` is the one that convert-packet named: what a superseded attempt failed with is ignored.',
  body: conversionOutcome.extend({ id: z.string(), attempt: z.number().int() }),
});
