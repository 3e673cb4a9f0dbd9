import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { reward } from './reward';

export const rewardIssued = defineEvent({
  type: 'loyalty.reward_issued',
  owner: 'identifier',
  collection: 'loyalty',
  summary: 'A consumer earned a reward',
  description:
    'The total of their receipts passed a multiple of what the programme asks for. Said once for each.',
  data: reward.extend({ program_id: z.int() }),
});
