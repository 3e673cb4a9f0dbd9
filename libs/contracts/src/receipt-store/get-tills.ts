import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { reportQuery } from './totals';

const till = z.object({
  store_reference: z.string().describe('The reference of the store, as the till sends it.'),
  till_uuid: z.string().nullable().describe('The id of the till; `null` for receipts without one.'),
  last_received: z
    .string()
    .meta({ format: 'date-time', description: 'When the last receipt or raw data arrived.' }),
  last_localtime: z.string().nullable().meta({
    format: 'date-time',
    description: 'The time of its latest sale; `null` if it has only sent duplicates, or no receipt yet.',
  }),
  receipts_today: z
    .int()
    .describe('The receipts with a `localtime` of today, without duplicates and voided ones, as in totals.'),
  failed_packets_today: z
    .int()
    .describe('The raw receipts that arrived today and could not be converted so far.'),
  waiting: z
    .int()
    .nullable()
    .describe('How many further slips its till agent still had to send; `null` without a till agent.'),
  agent_version: z.string().nullable().describe('The version of its till agent; `null` without one.'),
  clock_difference_s: z
    .number()
    .nullable()
    .describe(
      'By how many seconds the clock of its till agent is ahead of the platform, negative if it is behind; `null` without a till agent.',
    ),
});
export type ReportedTill = z.output<typeof till>;

/** Shows which tills send, and which have stopped. */
export const getTills = defineQuery({
  name: 'receipt-store.get-tills',
  summary: 'List tills',
  description:
    'Lists the tills from which receipts have arrived, with what is known of their till agents. A till that has sent only raw data is listed while it has failures of today, or if it has run a till agent in the last 30 days. ' +
    'Today is the day in the time zone of the store, or of the retailer if the store has none. At most the 10,000 newest failures and the 10,000 latest till agents are considered. Tills are sorted by store and id, as text.',
  permission: 'view.get_report',
  forStores: 'confined',
  http: { method: 'GET', path: '/reports/tills', success: 200, consumerScoped: true },
  query: reportQuery.pick({ store_reference: true, till_uuid: true }),
  output: z.object({ tills: z.array(till).describe('One entry for each till.') }),
  examples: {
    response: {
      tills: [
        {
          store_reference: '1',
          till_uuid: 'till-1',
          last_received: '2026-03-14T19:04:58.120+00:00',
          last_localtime: '2026-03-14T20:04:51+01:00',
          receipts_today: 208,
          failed_packets_today: 1,
          waiting: 0,
          agent_version: '1.0.0',
          clock_difference_s: -1.25,
        },
      ],
    },
  },
});
