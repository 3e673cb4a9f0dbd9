import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { reportQuery, reportTime } from './totals';

/** The maximum number of ranges that are listed for a till. */
export const missingRangesMax = 100;

const number = (description: string) => z.int().describe(description);

const tillGaps = z.object({
  store_reference: z.string().describe('The reference of the store, as posted.'),
  till_uuid: z.string().nullable().describe('The id of the till; `null` for receipts without one.'),
  first: number('The lowest number before the first restart.'),
  last: number('The highest number after the last restart.'),
  received: number(
    'How many receipts with a number were received, including duplicates, voided and deleted ones.',
  ),
  missing: z
    .array(z.object({ from: number('The first missing number.'), to: number('The last missing number.') }))
    .describe(
      `The numbers between \`first\` and \`last\` that were not received, at most ${missingRangesMax} ranges.`,
    ),
  more: z.literal(true).optional().describe('Present if there are more missing ranges.'),
  repeated: number('How many receipts have a number that another one had before.'),
  restarts: number('How often the till began again: its number fell by more than 1,000.'),
});
export type TillGaps = z.output<typeof tillGaps>;

/** Shows what a till has not sent. */
export const getGaps = defineQuery({
  name: 'receipt-store.get-gaps',
  summary: 'List gaps in the numbers of tills',
  description:
    'Lists the tills that number their receipts (`till_sequence`), and the numbers that are missing among their receipts of these days, in the order of sale. A receipt that arrives late closes its gap. Duplicates, voided and deleted receipts count as received. ' +
    'A number that falls by more than 1,000 below the last one is a restart, not a gap. A gap between two days shows in a range that includes both. ' +
    'Tills are sorted by store and id, as text.',
  permission: 'view.get_report',
  forStores: 'confined',
  http: { method: 'GET', path: '/reports/gaps', success: 200, consumerScoped: true },
  query: reportQuery,
  output: z.object({
    tills: z.array(tillGaps).describe('One entry for each till with numbered receipts.'),
    as_of: reportTime,
  }),
  examples: {
    response: {
      tills: [
        {
          store_reference: '1',
          till_uuid: 'till-1',
          first: 1,
          last: 210,
          received: 208,
          missing: [{ from: 17, to: 18 }],
          repeated: 0,
          restarts: 0,
        },
      ],
      as_of: '2026-03-14T19:05:00.120+00:00',
    },
  },
});
