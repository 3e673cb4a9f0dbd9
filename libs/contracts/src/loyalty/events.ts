import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { reward } from './reward';

export const rewardIssued = defineEvent({
  type: 'loyalty.reward_issued',
  owner: 'identifier',
  collection: 'loyalty',
  summary: 'A consumer earned a reward',
  description:
    "The consumer's receipt total has reached a multiple of the programme's `spend`. The event is published once per reward.",
  data: reward.extend({ program_id: z.int().describe('The id of the loyalty programme.') }),
});
