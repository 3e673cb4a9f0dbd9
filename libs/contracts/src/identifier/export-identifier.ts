import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { choice, text } from '../shared/query-parameters';
import { ndjsonType } from '../shared/media-types';
import { identifierNotFound, identifierParams } from './identifier';

const timeoutMs = 30_000;

/** Fulfils a person's legal right of access to the stored data. */
export const exportIdentifier = defineQuery(
  {
    name: 'identifier.export-identifier',
    summary: 'Export the data of an identifier',
    description:
      'Returns all stored data about a consumer, one JSON object per line: `{"type": "identifier", "identifier": {…}}`, then `{"type": "reward", "program_id": 1, "reward": {…}}` for each reward, then ' +
      '`{"type": "receipt", "receipt": {…}}` for each receipt in order of arrival. A response ends after a few megabytes; if there is more data, the header `Link` contains the URL of the next part with `rel="next"`.',
    permission: 'view.export_identifier',
    forConsumers: 'confined',
    http: {
      method: 'GET',
      path: '/identifiers/{identifier}/export',
      success: 200,
      produces: [ndjsonType],
    },
    params: identifierParams,
    query: z.object({
      after: text({
        pattern: /^(reward-)?\d{1,15}$/,
        description: 'The cursor of the next part, taken from the header `Link` of the previous part.',
        example: 'reward-17',
      }).optional(),
    }),
    headers: z.object({ accept: choice([ndjsonType], 'The media type of the response.') }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), next: z.string().optional() }),
    errors: [identifierNotFound],
    timeoutMs,
  },
  {
    response: ({ next }) => ({
      headers: {
        'content-disposition': 'attachment; filename="export.ndjson"',
        ...(next !== undefined && { link: `<${next}>; rel="next"` }),
      },
    }),
  },
);
