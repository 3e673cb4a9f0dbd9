import { z } from 'zod';
import { base64Text } from '../ingest/base64';
import { mappingDecode } from './mapping-decode';

/**
 * A mapping defines how raw data of a certain format is converted to receipts. It is a document of a retailer. Each
 * change creates a new version, and at most one version of a mapping is active.
 */

export const mappingIdPattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const pattern = z.string().min(1).max(1000);
const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
const wildcards = z.array(z.string().min(1).max(255)).min(1).max(100);

/**
 * The packets to which the mapping applies. A single `*` matches anything, `*` at the end any ending. Missing members
 * match anything. `contains` does not support `*`.
 */
export const mappingMatch = z.strictObject({
  content_type: wildcards
    .optional()
    .describe(
      'The media types to which the mapping applies. `*` at the end matches any ending, as in `text/*`.',
    ),
  source_id: wildcards
    .optional()
    .describe('The sources to which the mapping applies. `*` at the end matches any ending, as in `pos-*`.'),
  store_reference: wildcards
    .optional()
    .describe('The stores to which the mapping applies. `*` at the end matches any ending, as in `10*`.'),
  till_id: wildcards
    .optional()
    .describe('The tills to which the mapping applies. `*` at the end matches any ending, as in `kiosk-*`.'),
  contains: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Strings, at least one of which must occur in the data. They are compared as UTF-8 bytes and are case-sensitive. Use them to distinguish formats with the same media type.',
    ),
});

const fieldRule = z.strictObject({
  line: pattern.describe('A regular expression (RE2). The first matching line provides the value.'),
  groups: z
    .array(name)
    .min(1)
    .max(50)
    .optional()
    .describe('The names of the capturing groups, in order. The value is then an object.'),
  last: z
    .boolean()
    .optional()
    .describe(
      'Whether the last matching line provides the value, instead of the first. Defaults to `false`.',
    ),
});
export type FieldRule = z.output<typeof fieldRule>;

const tableRule = z.strictObject({
  from: pattern
    .optional()
    .describe('A regular expression (RE2). The table starts after the first line that matches.'),
  to: pattern
    .optional()
    .describe('A regular expression (RE2). The table ends before the next line that matches.'),
  row: pattern.describe('A regular expression (RE2). Each matching line starts a row.'),
  continuation: pattern
    .optional()
    .describe('A regular expression (RE2). A matching line belongs to the previous row.'),
  repeat: z
    .boolean()
    .optional()
    .describe(
      'Whether `row` can match several times in a line, so that two items in a line are two rows. Defaults to `false`.',
    ),
});
export type TableRule = z.output<typeof tableRule>;

export const mappingExtract = z.strictObject({
  fields: z.record(name, fieldRule).optional().describe('Single values to read from the lines, by name.'),
  tables: z
    .record(name, tableRule)
    .optional()
    .describe('Tables to read from the lines, such as the items, by name.'),
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
  timeout_ms: z
    .int()
    .min(50)
    .max(timeoutMsMax)
    .optional()
    .describe('The maximum CPU time in milliseconds. Defaults to 500.'),
  memory_mb: z.int().min(32).max(256).optional().describe('The maximum memory in megabytes. Defaults to 64.'),
  max_output_kb: z
    .int()
    .min(1)
    .max(1_900)
    .optional()
    .describe('The maximum size of the result in kilobytes. Defaults to 512.'),
  max_receipts: z
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe('The maximum number of receipts in a packet. Defaults to 50.'),
});

/** The limits of a mapping, with defaults for missing limits. */
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
  input_base64: base64Text.max(1_500_000).describe('The raw data of the sample in base64.'),
  content_type: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The media type with which the sample is sent.'),
  properties: freeMap.optional().describe('The free-form properties with which the sample is sent.'),
  metadata: freeMap.optional().describe('The metadata with which the sample is sent.'),
  expect: z
    .union([freeMap, z.array(freeMap).max(500)])
    .describe('The expected receipt, or receipts. Members that are not listed here are not compared.'),
});
export type MappingSample = z.output<typeof mappingSample>;

export const samplesMax = 20;

/** A mapping as posted: without `version` and `status`. */
export const postedMapping = z.strictObject({
  id: z
    .string()
    .regex(mappingIdPattern)
    .describe('The id of the mapping, unique per retailer: letters, digits, `_`, `.` and `-`.'),
  description: z.string().max(1000).optional().describe('Your own note about the mapping.'),
  match: mappingMatch
    .optional()
    .describe('The packets to which the mapping applies. By default, it applies to all packets.'),
  decode: mappingDecode.describe('How the raw data is decoded.'),
  extract: mappingExtract
    .optional()
    .describe(
      'What is read from decoded lines. Only for line formats: text, ESC/POS, Star, OPOS, ePOS and PDF.',
    ),
  transform: z
    .strictObject({
      language: z.literal('jsonata').describe('The language of the expression.'),
      expression: z
        .string()
        .min(1)
        .max(expressionCharactersMax)
        .describe('The expression that converts the decoded data to a receipt, or to a list of receipts.'),
    })
    .describe('How the decoded data is converted to receipts.'),
  defaults: freeMap
    .optional()
    .describe('Members that are added to the receipt if the expression does not set them.'),
  limits: mappingLimits.optional().describe('The resources that a conversion may use.'),
  samples: z
    .array(mappingSample)
    .max(samplesMax)
    .optional()
    .describe(
      'Examples of raw data with the expected receipts. All must pass before the mapping is activated.',
    ),
});
export type PostedMapping = z.output<typeof postedMapping>;

export const mappingStates = ['draft', 'active', 'inactive'] as const;
export type MappingState = (typeof mappingStates)[number];

/** A version of a mapping as returned. */
export const mappingDocument = postedMapping.extend({
  version: z.int().min(1).describe('The version of the mapping, from 1. Versions never change.'),
  status: z
    .enum(mappingStates)
    .describe(
      'Whether the version is in use (`active`), was in use (`inactive`) or was never in use (`draft`).',
    ),
});
export type MappingDocument = z.output<typeof mappingDocument>;

export const mappingParams = z.object({
  id: z.string().meta({ description: 'The id of the mapping.', examples: ['vendor-json'] }),
});

/** The version is the entity tag. */
export const mappingMeta = z.object({ id: z.string(), version: z.int() });

export const mappingNotFound = { status: 404, code: 'mapping_not_found', description: 'mapping not found' };
export const mappingInvalid = {
  status: 422,
  code: 'mapping_invalid',
  description: 'the mapping cannot be used',
};
export const samplesFailed = {
  status: 422,
  code: 'samples_failed',
  description: 'the samples of the mapping do not produce the expected receipts',
};
