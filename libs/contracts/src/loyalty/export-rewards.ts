import { choice, defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { nextRewards, programmeNotFound, rewardParams, rewardQuery, rewardsMeta } from './reward';

/** For spreadsheets. */
export const exportRewards = defineQuery(
  {
    name: 'identifier.export-rewards',
    summary: 'Loyalty rewards as CSV',
    description:
      'The rewards of `GET /loyalty/{program_id}/rewards` as RFC 4180 with the columns id, identifier, name, claimed, value, timestamp, ' +
      "receipt_timestamp. A text that a spreadsheet would run begins with `'`.",
    permission: 'view.get_loyalty',
    http: {
      method: 'GET',
      path: '/loyalty/{program_id}/rewards.csv',
      success: 200,
      consumerScoped: true,
      produces: ['text/csv'],
    },
    params: rewardParams,
    query: rewardQuery,
    headers: z.object({ accept: choice(['text/csv']) }),
    output: rawOutput,
    meta: rewardsMeta.extend({ contentType: z.string(), fileName: z.string() }),
    errors: [programmeNotFound],
  },
  {
    answer: ({ fileName }) => ({
      headers: { 'content-disposition': `attachment; filename="${fileName}"` },
    }),
    nextPart: nextRewards,
  },
);
