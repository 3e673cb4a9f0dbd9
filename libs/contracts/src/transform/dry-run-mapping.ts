import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { base64Text } from '../ingest/base64';
import { compilingMs, mappingDocument, mappingNotFound } from './mapping';

const fault = z.object({
  path: z.string(),
  code: z.string(),
  message: z.string(),
  /** The line in the raw data or the expression to which the error refers, counted from 1, if it is known. */
  line: z.int().optional(),
});

/** Shows the result of a mapping for given data, or its errors, without storing anything. */
export const dryRunMapping = defineCommand({
  name: 'transform.dry-run-mapping',
  summary: 'Try a mapping',
  description:
    'Answers the receipts, or every fault with its place, and the data as the expression sees it. `mapping` is a document, also ' +
    'as it was answered, or the id of one: then the newest version is tried. `time` is in milliseconds.',
  permission: 'view.manage_mapping',
  http: { method: 'POST', path: '/pos/mappings/_dry_run', success: 200 },
  body: json(
    z.strictObject({
      mapping: z.union([
        z.string().min(1).max(100),
        mappingDocument.partial({ id: true, version: true, status: true }),
      ]),
      input_base64: base64Text.max(2_000_000),
      content_type: z.string().min(1).max(255).optional(),
      properties: z.record(z.string(), z.unknown()).optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  output: z.object({
    receipts: z.array(z.unknown()),
    errors: z.array(fault),
    decoded: z.object({
      lines: z.array(z.string()).optional(),
      doc: z.unknown().optional(),
      fields: z.record(z.string(), z.unknown()).optional(),
      tables: z.record(z.string(), z.unknown()).optional(),
    }),
    time: z.number(),
  }),
  errors: [mappingNotFound],
  timeoutMs: compilingMs,
});
