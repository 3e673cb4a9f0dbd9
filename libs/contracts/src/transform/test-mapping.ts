import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { packetFault } from '../ingest/packet';
import { compilingMs, postedMapping } from './mapping';

/** For the portal, where authors of mappings see which tests pass. */
export const testMapping = defineQuery({
  name: 'transform.test-mapping',
  summary: 'Find the failing samples of a mapping',
  description: 'Internal. Runs a mapping on its samples, as activation does, and returns the errors of each.',
  body: z.object({ mapping: postedMapping }),
  output: z.object({ samples: z.array(z.object({ errors: z.array(packetFault) })) }),
  timeoutMs: compilingMs,
});
