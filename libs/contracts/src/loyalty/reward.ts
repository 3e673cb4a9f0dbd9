import { choice, text } from '@receipts/kernel';
import { z } from 'zod';
import { epochMsOf, readDateTime } from '../receipt';

export const reward = z.strictObject({
  id: z.int(),
  identifier: z.string(),
  name: z.string(),
  claimed: z.boolean(),
  value: z.number(),
  timestamp: z.string().meta({ format: 'date-time', description: 'When it was issued.' }),
  receipt_timestamp: z
    .string()
    .meta({ format: 'date-time', description: 'Of the receipt with which the total passed the threshold.' }),
});
export type Reward = z.output<typeof reward>;

export const rewardExample: Reward = {
  id: 17,
  identifier: 'joe.smith@example.com',
  name: '5 off for each 100 spent',
  claimed: false,
  value: 5,
  timestamp: '2026-02-03T09:12:45.120+00:00',
  receipt_timestamp: '2026-02-03T09:12:44+00:00',
};

export const programmeNotFound = {
  status: 404,
  code: 'not_found',
  description: 'there is no such loyalty programme',
};

const dateLength = 'YYYY-MM-DD'.length;

/**
 * A time as epoch milliseconds, in UTC unless it has an offset. A date without a time is its first or last instant. A
 * plus sign that was not percent-encoded is received as a space, which is accepted.
 */
function moment(ofDate: 'first' | 'last', description: string) {
  const base = text({ max: 40, description });
  const readable = base.transform((given, ctx): number => {
    const written = given.replace(/ (?=\d\d:?\d\d$)/, '+');
    const whole =
      written.length === dateLength
        ? `${written}T${ofDate === 'first' ? '00:00:00' : '23:59:59.999'}`
        : written;
    const read = readDateTime(whole);
    if (read) return epochMsOf(read);
    ctx.addIssue({
      code: 'custom',
      message: 'must be an ISO 8601 date and time',
      params: { code: 'invalid_format' },
    });
    return z.NEVER;
  });
  return readable.meta({ ...base.meta(), parameter: { type: 'string', format: 'date-time' } });
}

export const rewardParams = z.object({
  program_id: z
    .string()
    .max(100)
    .meta({ type: 'integer', description: 'The `id` of a programme in the settings.' }),
});

/** The filters of rewards. */
export const rewardQuery = z.object({
  consumer: text({ description: 'Only rewards of this identifier, commas included.' }).optional(),
  from_timestamp: moment('first', 'Only rewards issued on or after it.').optional(),
  to_timestamp: moment('last', 'Only rewards issued on or before it.').optional(),
  claimed: choice(['all', 'true', 'false'], 'Only rewards that are claimed, or that are not.').default('all'),
  after: z
    .object({ issued: z.int(), id: z.int() })
    .optional()
    .meta({ internal: true, description: 'The last reward of the part before; `issued` in milliseconds.' }),
});
export type RewardQuery = z.output<typeof rewardQuery>;

/** `next` asks for the next part of a long list. */
export const rewardsMeta = z.object({ next: rewardQuery.shape.after });

export const nextRewards = ({ next }: z.input<typeof rewardsMeta>) => next && { after: next };
