import { programmeNotFound, type loyaltyContracts, type RewardQuery } from '@receipts/contracts';
import { ServiceError, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { programmeNamed, rewardChoice, rewardOf } from '../domain/reward';
import { printRewards } from '../domain/rewards-csv';
import type { Dependencies } from './dependencies';

/** Rewards in one message: about 1 MB. */
const partMax = 5_000;

async function find({ rewards, retailers }: Dependencies, programId: string, query: RewardQuery, call: Call) {
  const { settings } = await retailers.need(call.retailer, call);
  const programme = programmeNamed(settings.loyalty, programId);
  if (!programme) throw new ServiceError(programmeNotFound);
  const choice = rewardChoice(query, call.consumers);
  const found = await rewards.list(call.retailer, programme.id, choice, partMax, deadlineSignal(call));
  const last = found.length < partMax ? undefined : found.at(-1);
  const next = last && { issued: last.issuedAt.getTime(), id: last.number };
  return { programme, rewards: found.map(rewardOf), meta: { next } };
}

/** Lists rewards. Credentials restricted to consumers get only the rewards of those consumers. */
export function listRewards(deps: Dependencies): Handler<(typeof loyaltyContracts)['listRewards']> {
  return async ({ params, query }, call) => {
    const { rewards: body, meta } = await find(deps, params.program_id, query, call);
    return { body, meta };
  };
}

/** Returns the same list as a CSV file. */
export function exportRewards(deps: Dependencies): Handler<(typeof loyaltyContracts)['exportRewards']> {
  return async ({ params, query }, call) => {
    const { programme, rewards, meta } = await find(deps, params.program_id, query, call);
    return {
      body: Buffer.from(printRewards(rewards, query.after === undefined)),
      meta: {
        ...meta,
        contentType: 'text/csv; charset=utf-8; header=present',
        fileName: `rewards-${programme.id}.csv`,
      },
    };
  };
}
