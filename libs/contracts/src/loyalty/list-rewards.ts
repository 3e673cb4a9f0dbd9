import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import {
  nextRewards,
  programmeNotFound,
  reward,
  rewardExample,
  rewardParams,
  rewardQuery,
  rewardsMeta,
} from './reward';

/** Used by apps for a single consumer, and by back offices for all of them. */
export const listRewards = defineQuery(
  {
    name: 'identifier.list-rewards',
    summary: 'List loyalty rewards',
    description:
      'Returns all rewards, newest first. A long list is streamed. If an error occurs while streaming, the connection is closed before the end of the body.',
    permission: 'view.get_loyalty',
    forConsumers: 'confined',
    http: { method: 'GET', path: '/loyalty/{program_id}/rewards', success: 200, consumerScoped: true },
    params: rewardParams,
    query: rewardQuery,
    output: z.array(reward),
    meta: rewardsMeta,
    errors: [programmeNotFound],
    examples: { response: [rewardExample] },
  },
  { nextPart: nextRewards },
);
