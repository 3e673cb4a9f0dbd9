import {
  outboxIndex,
  type CollectionDeclaration,
  type IndexDeclaration,
  type WithOutbox,
} from '@receipts/storage';
import type { RewardRecord } from '../domain/reward';

export interface RewardDocument extends RewardRecord, WithOutbox {
  readonly _id: string;
  readonly retailer: string;
}

export const rewardIndexes = {
  /** Serves lookups by consumer. Unique, so that a threshold is rewarded once, even if several processes detect it. */
  consumer: {
    name: 'by_consumer',
    key: { retailer: 1, identifier: 1, programme: 1, threshold: 1 },
    unique: true,
  },
  time: { name: 'by_time', key: { retailer: 1, programme: 1, issuedAt: -1, number: -1 } },
} as const satisfies Readonly<Record<string, IndexDeclaration>>;

export const rewardsDeclaration: CollectionDeclaration = {
  name: 'rewards',
  indexes: [...Object.values(rewardIndexes), outboxIndex],
};

/** The last allocated number of a retailer's rewards. */
export interface NumbersDocument {
  /** The retailer's id. */
  readonly _id: string;
  readonly last: number;
}

export const rewardNumbersDeclaration: CollectionDeclaration = { name: 'reward_numbers', indexes: [] };
