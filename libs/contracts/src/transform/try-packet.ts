import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { packetNotFound, packetView } from '../ingest/packet';
import { dryRunMapping } from './dry-run-mapping';
import { mappingNotFound } from './mapping';

/** Lets the operator find out why a packet failed without asking the retailer for the data. */
export const tryPacket = defineCommand({
  name: 'transform.try-packet',
  summary: 'Try a mapping on a raw receipt',
  description:
    'A dry run of the mapping that the raw receipt failed with, or of the one that is named, on its bytes. Nothing is changed; with an `Idempotency-Key` the answer is kept for 24 hours. ' +
    '`dry_run` is null where no mapping is known, or it is there no longer: then name one of `mappings`.',
  http: {
    method: 'POST',
    path: '/operator/retailers/{id}/packets/{packet_id}/_dry_run',
    access: 'operator',
    success: 200,
  },
  params: z.object({ id: z.string().max(100), packet_id: z.string().max(64) }),
  body: json(z.strictObject({ mapping: z.string().min(1).max(100).optional() })),
  output: z.object({
    packet: packetView,
    raw: z.object({
      text: z.string().nullable().meta({ description: 'The bytes as text; null where they are none.' }),
      is_whole: z.boolean().meta({ description: 'False when only their beginning is shown.' }),
    }),
    mapping: z.string().nullable().meta({ description: 'The one that was tried.' }),
    dry_run: dryRunMapping.output.nullable(),
    mappings: z.array(z.string()).meta({ description: "The ids of the retailer's mappings, up to 100." }),
  }),
  errors: [packetNotFound, mappingNotFound],
  timeoutMs: 15_000,
  examples: { request: { mapping: 'json-receipts' } },
});
