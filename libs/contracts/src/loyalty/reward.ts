import { z } from 'zod';
import { moment } from '../shared/moment';
import { choice, text } from '../shared/query-parameters';

export const reward = z.strictObject({
  id: z.int().describe('The id of the reward.'),
  identifier: z.string().describe('The consumer who earned the reward.'),
  name: z.string().describe('The name of the reward.'),
  claimed: z.boolean().describe('Whether the consumer has claimed the reward.'),
  value: z.number().describe('The value of the reward, as the programme defines it.'),
  timestamp: z.string().meta({ format: 'date-time', description: 'When the reward was issued.' }),
  receipt_timestamp: z.string().meta({
    format: 'date-time',
    description: 'When the receipt that earned the reward was issued.',
  }),
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
  description: 'loyalty programme not found',
};

export const rewardParams = z.object({
  program_id: z
    .string()
    .max(100)
    .meta({
      type: 'integer',
      description: 'The id of the loyalty programme, from the retailer setting `loyalty`.',
      examples: [1],
    }),
});

/** The filters of rewards. */
export const rewardQuery = z.object({
  consumer: text({
    description:
      'Only return rewards of the consumer with this identifier. The identifier may contain commas.',
    example: 'jane@example.com',
  }).optional(),
  from_timestamp: moment(
    'first',
    'Only return rewards that were issued at or after this time, ISO 8601.',
  ).optional(),
  to_timestamp: moment(
    'last',
    'Only return rewards that were issued at or before this time, ISO 8601.',
  ).optional(),
  claimed: choice(
    ['all', 'true', 'false'],
    'Only return claimed (`true`) or unclaimed (`false`) rewards.',
  ).default('all'),
  after: z.object({ issued: z.int(), id: z.int() }).optional().meta({
    internal: true,
    description: 'The last reward of the previous part; `issued` is in milliseconds.',
  }),
});
export type RewardQuery = z.output<typeof rewardQuery>;

/** `next` requests the next part of a long list. */
export const rewardsMeta = z.object({ next: rewardQuery.shape.after });

export const nextRewards = ({ next }: z.input<typeof rewardsMeta>) => next && { after: next };
