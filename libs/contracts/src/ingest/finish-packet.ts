import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { failureReasons, mappingVersion, packetFault } from './packet';

/** What became of a packet; transform says it after each attempt. */
export const finishPacket = defineCommand({
  name: 'ingest.finish-packet',
  summary: 'Record what became of a packet',
  description:
    'Sent by transform. `attempt` is the one that convert-packet named: what a superseded attempt failed with is ignored.',
  body: z.object({
    id: z.string(),
    attempt: z.number().int(),
    receiptIds: z.array(z.string()),
    mapping: mappingVersion.nullable(),
    failure: z.object({ reason: z.enum(failureReasons), errors: z.array(packetFault) }).nullable(),
  }),
});
