import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { choice } from '../shared/query-parameters';
import { nextRewards, programmeNotFound, rewardParams, rewardQuery, rewardsMeta } from './reward';

/** For spreadsheets. */
export const exportRewards = defineQuery(
  {
    name: 'identifier.export-rewards',
    summary: 'Export loyalty rewards as CSV',
    description:
      'Returns the rewards of `GET /loyalty/{program_id}/rewards` as CSV (RFC 4180) with the columns id, identifier, name, claimed, value, timestamp, ' +
      "receipt_timestamp. Text that a spreadsheet would interpret as a formula, also after a `;` or a tab, is prefixed with `'`.",
    permission: 'view.get_loyalty',
    forConsumers: 'confined',
    http: {
      method: 'GET',
      path: '/loyalty/{program_id}/rewards.csv',
      success: 200,
      consumerScoped: true,
      produces: ['text/csv'],
    },
    params: rewardParams,
    query: rewardQuery,
    headers: z.object({ accept: choice(['text/csv'], 'The media type of the response.') }),
    output: rawOutput,
    meta: rewardsMeta.extend({ contentType: z.string(), fileName: z.string() }),
    errors: [programmeNotFound],
  },
  {
    response: ({ fileName }) => ({
      headers: { 'content-disposition': `attachment; filename="${fileName}"` },
    }),
    nextPart: nextRewards,
  },
);
