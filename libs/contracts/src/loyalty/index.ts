import { exportRewards } from './export-rewards';
import { listRewards } from './list-rewards';

export { rewardIssued } from './events';
export { programmeNotFound, type Reward, type RewardQuery } from './reward';

/** The queries of identifier about loyalty. */
export const loyaltyContracts = { listRewards, exportRewards };
