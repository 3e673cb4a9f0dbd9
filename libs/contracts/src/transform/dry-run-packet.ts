import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { retailerParams } from '../admin/retailer';
import { packetNotFound, packetView } from '../ingest/packet';
import { dryRunMapping } from './dry-run-mapping';
import { mappingNotFound } from './mapping';

/** Shows the operator why a packet failed, without asking the retailer for the data. */
export const dryRunPacket = defineCommand({
  name: 'transform.dry-run-packet',
  summary: 'Try a mapping on a raw receipt',
  description:
    'Runs a mapping on the data of a failed packet, without changing anything, and returns the result together with the data. ' +
    'It runs the mapping that failed unless another mapping is named.',
  http: {
    method: 'POST',
    path: '/operator/retailers/{id}/packets/{packet_id}/_dry_run',
    access: 'operator',
    success: 200,
  },
  params: retailerParams.extend({
    packet_id: z
      .string()
      .max(64)
      .meta({ description: 'The id of the failed packet.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
  }),
  body: json(
    z.strictObject({
      mapping: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('The id of the mapping to run. Defaults to the mapping that failed.'),
    }),
  ),
  output: z.object({
    packet: packetView.describe('The packet, as returned to its retailer.'),
    raw: z
      .object({
        text: z.string().nullable().describe('The raw data as text; `null` if it is binary.'),
        is_whole: z.boolean().describe('Whether `text` contains all the data, not only its beginning.'),
      })
      .describe('The raw data of the packet.'),
    mapping: z
      .string()
      .nullable()
      .describe('The id of the mapping that was run; `null` if there was none to run.'),
    dry_run: dryRunMapping.output
      .nullable()
      .describe(
        'The result; `null` if no mapping was run, because none was chosen or the chosen one no longer exists.',
      ),
    mappings: z.array(z.string()).describe('The ids of the mappings of the retailer, up to 100.'),
  }),
  errors: [packetNotFound, mappingNotFound],
  timeoutMs: 15_000,
  examples: { request: { mapping: 'json-receipts' } },
});
