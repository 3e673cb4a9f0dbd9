import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { base64Text } from '../ingest/base64';
import { packetFault } from '../ingest/packet';
import { compilingMs, mappingDocument, mappingNotFound } from './mapping';

const fault = packetFault.extend({
  line: z
    .int()
    .optional()
    .describe('The line of the raw data or of the expression that caused the error, from 1, if it is known.'),
});

const decodedPart = {
  lines: z
    .array(z.string())
    .optional()
    .describe('The decoded lines of a line format, as they appear on paper.'),
  doc: z.unknown().optional().describe('The decoded document of a tree format: JSON, XML or CSV.'),
  fields: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The values that the rules in `extract.fields` have read.'),
  tables: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The rows that the rules in `extract.tables` have read.'),
  codes: z
    .array(
      z.object({
        line: z.int().describe('The number of lines above the code.'),
        type: z.string().describe('The type of the code, such as `qr`, `code128`, `ean13` or `pdf417`.'),
        data: z.string().describe('The data of the code.'),
      }),
    )
    .optional()
    .describe('The bar codes and QR codes of a line format, in the order of the lines.'),
};

const warning = z.object({
  path: z
    .string()
    .describe('A JSON Pointer to the cause, in the receipts that the mapping returned or in the mapping.'),
  code: z
    .string()
    .describe(
      'The name of the check that a receipt fails (`items_total`, `payments_total`, `taxes_total`, `net_total`, `item_total`), or `unmatched_lines`.',
    ),
  message: z.string().describe('The warning in words.'),
  part: z.int().describe('The part of the raw data, from 0.'),
  count: z
    .int()
    .optional()
    .describe('For `unmatched_lines`: how many lines of a table neither `row` nor `continuation` matches.'),
});

/** Shows the result of a mapping for given data, or its errors, without storing anything. */
export const dryRunMapping = defineCommand({
  name: 'transform.dry-run-mapping',
  summary: 'Try a mapping',
  description:
    'Converts raw data without storing anything, and returns the receipts or the errors, and the decoded data. ' +
    'Use it to develop a mapping.',
  permission: 'view.manage_mapping',
  http: { method: 'POST', path: '/pos/mappings/_dry_run', success: 200 },
  body: json(
    z.strictObject({
      mapping: z
        .union([
          z.string().min(1).max(100),
          mappingDocument.partial({ id: true, version: true, status: true }),
        ])
        .describe('The mapping to try: a document, or the id of a mapping, whose newest version is tried.'),
      input_base64: base64Text.max(2_000_000).describe('The raw data to convert, in base64.'),
      content_type: z.string().min(1).max(255).optional().describe('The media type of the raw data.'),
      properties: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Free-form properties, as they would be sent with the data.'),
      metadata: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Metadata, as it would be sent with the data.'),
    }),
  ),
  output: z.object({
    receipts: z.array(z.unknown()).describe('The resulting receipts, in the form of `POST /receipts`.'),
    errors: z.array(fault).describe('The errors of the conversion; empty if it succeeded.'),
    warnings: z
      .array(warning)
      .describe(
        'What you should check: totals that do not add up, and lines of tables that no rule matches.',
      ),
    decoded: z
      .object({
        ...decodedPart,
        parts: z
          .array(z.object(decodedPart))
          .describe('The data of all parts. Cuts, form feeds and `split` divide the data into parts.'),
      })
      .describe('The data of the first part as the expression receives it, and that of all parts.'),
    time: z.number().describe('How long the conversion took, in milliseconds.'),
  }),
  errors: [mappingNotFound],
  timeoutMs: compilingMs,
});
