import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { programmeNotFound, reward, rewardExample, rewardParams, rewardQuery, rewardsMax } from './reward';

/** Used by apps for a single consumer, and by back offices for all of them. */
export const listRewards = defineQuery({
  name: 'identifier.list-rewards',
  summary: 'List loyalty rewards',
  description: `Sorted by \`timestamp\`, descending; the newest ${rewardsMax} at most.`,
  permission: 'view.get_loyalty',
  http: { method: 'GET', path: '/loyalty/{program_id}/rewards', success: 200, consumerScoped: true },
  params: rewardParams,
  query: rewardQuery.extend({ pretty: flag('Readable formatting').optional() }),
  output: z.array(reward),
  errors: [programmeNotFound],
  examples: { response: [rewardExample] },
});
