import { z } from 'zod';
import { base64Text } from '../ingest/base64';

/**
 * A mapping defines how raw data of a certain format is converted to receipts. It is a document of a retailer. Each
 * change creates a new version, and at most one version of a mapping is active.
 */

export const mappingIdPattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const pattern = z.string().min(1).max(1000);
const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
const wildcards = z.array(z.string().min(1).max(255)).min(1).max(100);

/**
 * The packets to which the mapping applies. `*` matches anything; a type may end in `/*`. Missing members match
 * anything. `contains` knows no `*`.
 */
export const mappingMatch = z.strictObject({
  content_type: wildcards.optional(),
  source_id: wildcards.optional(),
  store_reference: wildcards.optional(),
  till_id: wildcards.optional(),
  contains: z.array(z.string().min(1).max(255)).min(1).max(100).optional().meta({
    description:
      'Texts of which at least one occurs in the data, compared as UTF-8 bytes with case. Tells formats with the same content type apart.',
  }),
});

const codepage = z.string().min(1).max(40);
const lineOptions = {
  codepage: codepage.optional(),
  columns: z.int().min(8).max(500).optional(),
  split: z.string().min(1).max(100).optional(),
};

/** How bytes are decoded to lines (text, escpos, opos, pdf) or to a document (json, xml, csv). */
export const mappingDecode = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('json'), codepage: codepage.optional() }),
  z.strictObject({
    type: z.literal('xml'),
    codepage: codepage.optional(),
    keep_prefixes: z
      .boolean()
      .optional()
      .meta({ description: 'Whether elements keep the prefixes of their namespaces.' }),
  }),
  z.strictObject({
    type: z.literal('csv'),
    codepage: codepage.optional(),
    delimiter: z
      .string()
      .min(1)
      .max(4)
      .optional()
      .meta({ description: 'What stands between two values; a comma unless given.' }),
    quote: z
      .string()
      .length(1)
      .optional()
      .meta({ description: 'What encloses values; a double quote unless given.' }),
    header: z
      .union([z.boolean(), z.array(z.string().min(1).max(100)).min(1).max(500)])
      .optional()
      .meta({ description: 'True when the first line names the columns, or their names.' }),
    skip_lines: z
      .int()
      .min(0)
      .max(1000)
      .optional()
      .meta({ description: 'Lines at the beginning that are passed over.' }),
  }),
  z.strictObject({ type: z.literal('text'), ...lineOptions }),
  z.strictObject({ type: z.literal('escpos'), ...lineOptions }),
  z.strictObject({ type: z.literal('opos'), ...lineOptions }),
  z.strictObject({ type: z.literal('pdf'), split: lineOptions.split, columns: lineOptions.columns }),
]);
export type MappingDecode = z.output<typeof mappingDecode>;
export type DecodeType = MappingDecode['type'];

const fieldRule = z.strictObject({
  line: pattern.meta({ description: 'Lines that match it are taken.' }),
  groups: z
    .array(name)
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'The names of the groups of the expression, in their order.' }),
  last: z.boolean().optional(),
});
export type FieldRule = z.output<typeof fieldRule>;

const tableRule = z.strictObject({
  from: pattern.optional(),
  to: pattern.optional(),
  row: pattern.meta({ description: 'A line that matches it begins a row.' }),
  continuation: pattern.optional().meta({ description: 'Lines that match it belong to the row before.' }),
});
export type TableRule = z.output<typeof tableRule>;

export const mappingExtract = z.strictObject({
  fields: z.record(name, fieldRule).optional(),
  tables: z.record(name, tableRule).optional(),
});
export type MappingExtract = z.output<typeof mappingExtract>;

export const expressionCharactersMax = 100_000;
export const timeoutMsMax = 2_000;
/** Patterns and expressions are compiled in a sandboxed process, and a busy machine needs time to start one. */
export const compilingMs = 10_000;

/** The default limits of a packet's conversion. */
export const limitDefaults = {
  timeout_ms: 500,
  memory_mb: 64,
  max_output_kb: 512,
  max_receipts: 50,
} as const;

export const mappingLimits = z.strictObject({
  timeout_ms: z.int().min(50).max(timeoutMsMax).optional(),
  memory_mb: z.int().min(32).max(256).optional(),
  max_output_kb: z.int().min(1).max(1_900).optional(),
  max_receipts: z.int().min(1).max(500).optional(),
});

/** The limits of a mapping, with defaults for missing ones. */
export function limitsOf(mapping: { readonly limits?: z.output<typeof mappingLimits> | undefined }) {
  const { limits } = mapping;
  return {
    timeout_ms: limits?.timeout_ms ?? limitDefaults.timeout_ms,
    memory_mb: limits?.memory_mb ?? limitDefaults.memory_mb,
    max_output_kb: limits?.max_output_kb ?? limitDefaults.max_output_kb,
    max_receipts: limits?.max_receipts ?? limitDefaults.max_receipts,
  };
}

const freeMap = z.record(z.string().min(1).max(255), z.unknown());

export const mappingSample = z.strictObject({
  input_base64: base64Text.max(1_500_000),
  content_type: z.string().min(1).max(255).optional(),
  properties: freeMap.optional(),
  metadata: freeMap.optional(),
  expect: z.union([freeMap, z.array(freeMap).max(500)]),
});
export type MappingSample = z.output<typeof mappingSample>;

export const samplesMax = 20;

/** A mapping as posted: without `version` and `status`. */
export const postedMapping = z.strictObject({
  id: z.string().regex(mappingIdPattern),
  description: z.string().max(1000).optional(),
  match: mappingMatch.optional(),
  decode: mappingDecode,
  extract: mappingExtract.optional(),
  transform: z.strictObject({
    language: z.literal('jsonata'),
    expression: z.string().min(1).max(expressionCharactersMax),
  }),
  defaults: freeMap.optional(),
  limits: mappingLimits.optional(),
  samples: z.array(mappingSample).max(samplesMax).optional(),
});
export type PostedMapping = z.output<typeof postedMapping>;

export const mappingStates = ['draft', 'active', 'inactive'] as const;
export type MappingState = (typeof mappingStates)[number];

/** A version of a mapping as returned. */
export const mappingDocument = postedMapping.extend({
  version: z.int().min(1),
  status: z.enum(mappingStates),
});
export type MappingDocument = z.output<typeof mappingDocument>;

/** The version is the entity tag. */
export const mappingMeta = z.object({ id: z.string(), version: z.int() });

export const mappingNotFound = { status: 404, code: 'mapping_not_found', description: 'mapping not found' };
export const mappingInvalid = {
  status: 422,
  code: 'mapping_invalid',
  description: 'the mapping can not be used',
};
export const samplesFailed = {
  status: 422,
  code: 'samples_failed',
  description: 'the samples of the mapping do not give what they expect',
};
