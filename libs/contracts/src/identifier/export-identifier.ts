import { choice, defineQuery, rawOutput, text } from '@receipts/kernel';
import { z } from 'zod';
import { identifierNotFound } from './identifier';

export const exportType = 'application/x-ndjson';
const timeoutMs = 30_000;

/** Fulfils a person's legal right of access to the stored data. */
export const exportIdentifier = defineQuery(
  {
    name: 'identifier.export-identifier',
    summary: 'Export what is kept of an identifier',
    description:
      'One JSON object a line: `{"type": "identifier", "identifier": {…}}`, then `{"type": "reward", "program_id": 1, "reward": {…}}` for each reward, then ' +
      '`{"type": "receipt", "receipt": {…}}` for each receipt in the order of arrival. An answer ends after some megabytes; where more ' +
      'follows, the header `Link` has the address of the rest with `rel="next"`.',
    permission: 'view.export_identifier',
    http: {
      method: 'GET',
      path: '/identifiers/{identifier}/export',
      success: 200,
      produces: [exportType],
    },
    params: z.object({ identifier: z.string() }),
    query: z.object({
      after: text({ pattern: /^(reward-)?\d{1,15}$/, description: 'From the header `Link`.' }).optional(),
    }),
    headers: z.object({ accept: choice([exportType]) }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), next: z.string().optional() }),
    errors: [identifierNotFound],
    timeoutMs,
  },
  {
    answer: ({ next }) => ({
      headers: {
        'content-disposition': 'attachment; filename="export.ndjson"',
        ...(next !== undefined && { link: `<${next}>; rel="next"` }),
      },
    }),
  },
);
