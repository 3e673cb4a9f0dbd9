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

const decodeType = <const T extends string>(type: T) =>
  z.literal(type).describe('The format of the raw data.');
const codepage = z
  .string()
  .min(1)
  .max(40)
  .optional()
  .describe(
    'The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a set is named or declared, a broken byte becomes U+FFFD. For `escpos` and `star`, it is the set before the first command that selects another; it defaults to `cp437`, or to the set of Star printers.',
  );
const lineOptions = {
  codepage,
  columns: z
    .int()
    .min(8)
    .max(500)
    .optional()
    .describe(
      'The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped.',
    ),
  split: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The string that separates several receipts in the data, in addition to cuts and form feeds. `none` gives the whole job as one part, with a line that is a form feed between the receipts. The pages of a PDF are one part unless it is a form feed.',
    ),
};

/** The printers whose numbering of code pages is known. */
const printers = [
  'epson',
  'star',
  'bixolon',
  'citizen',
  'xprinter',
  'pos-5890',
  'hp',
  'fujitsu',
  'mpt',
  'youku',
] as const;
export type PrinterFamily = (typeof printers)[number];

const characterSetOptions = {
  printer: z
    .enum(printers)
    .optional()
    .describe(
      'The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.',
    ),
  code_pages: z
    .record(z.string().regex(/^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/), z.string().min(1).max(40))
    .optional()
    .describe(
      'The code pages of single numbers, where the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`.',
    ),
  multibyte: z
    .enum(['shift_jis', 'gb18030', 'big5', 'euc-kr'])
    .optional()
    .describe(
      'The set of Chinese, Japanese or Korean characters: what kanji mode is read as, regardless of the code page. If it is named, kanji mode is on until the data turns it off.',
    ),
};

/** How bytes are decoded to lines (text, escpos, star, opos, epos, pdf) or to a document (json, xml, csv). */
export const mappingDecode = z.discriminatedUnion('type', [
  z.strictObject({ type: decodeType('json'), codepage }),
  z.strictObject({
    type: decodeType('xml'),
    codepage,
    keep_prefixes: z
      .boolean()
      .optional()
      .describe('Whether the names of elements keep their namespace prefixes. Defaults to `false`.'),
    ordered: z
      .boolean()
      .optional()
      .describe(
        'Whether `doc` is the root element, and every element is an object with `name`, `attributes`, `text` (its own text, joined, with its spaces) and `children` in the order of the document. Defaults to `false`.',
      ),
  }),
  z.strictObject({
    type: decodeType('csv'),
    codepage,
    delimiter: z
      .string()
      .min(1)
      .max(4)
      .optional()
      .describe(
        'The characters between two values. By default, the most frequent of comma, semicolon, tab and `|` in the first line.',
      ),
    quote: z
      .string()
      .length(1)
      .optional()
      .describe('The character that encloses values. Defaults to a double quote.'),
    header: z
      .union([z.boolean(), z.array(z.string().min(1).max(100)).min(1).max(500)])
      .optional()
      .describe(
        '`true` if the first line contains the names of the columns, or a list of these names. If several columns have one name, the second is `name_2`, the third `name_3`.',
      ),
    skip_lines: z.int().min(0).max(1000).optional().describe('The number of lines to skip at the beginning.'),
  }),
  z.strictObject({ type: decodeType('text'), ...lineOptions }),
  z.strictObject({ type: decodeType('escpos'), ...lineOptions, ...characterSetOptions }),
  z.strictObject({ type: decodeType('star'), ...lineOptions, ...characterSetOptions }),
  z.strictObject({ type: decodeType('opos'), ...lineOptions }),
  z.strictObject({ type: decodeType('epos'), ...lineOptions }),
  z.strictObject({ type: decodeType('pdf'), split: lineOptions.split, columns: lineOptions.columns }),
]);
export type MappingDecode = z.output<typeof mappingDecode>;

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
      'Whether `row` is matched as often as it fits in a line, so that two items on a line are two rows. Defaults to `false`: once a line.',
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
