import { type CollectionDeclaration, type IndexDeclaration } from '@receipts/storage';
import type { RewardRecord } from '../domain/reward';

/** The origin of a reward's event. The rest of its content is the reward itself. */
export interface RewardOrigin {
  /** The id of the event. */
  readonly event: string;
  readonly request: string;
  /** The event of the receipt with which the total reached the threshold. */
  readonly cause: string;
  readonly trace?: string;
}

export interface RewardDocument extends RewardRecord {
  readonly _id: string;
  readonly retailer: string;
  /** The place in the order of the retailer's rewards, which has no gaps. */
  readonly seq: number;
  readonly origin: RewardOrigin;
}

export const rewardIndexes = {
  /** A threshold is rewarded once, even if several processes find it reached. */
  threshold: {
    name: 'by_threshold',
    key: { retailer: 1, programme: 1, identifier: 1, threshold: 1 },
    unique: true,
  },
  time: { name: 'by_time', key: { retailer: 1, programme: 1, issuedAt: -1, number: -1 } },
  identifier: { name: 'by_identifier', key: { retailer: 1, identifier: 1 } },
  order: {
    name: 'by_order',
    key: { retailer: 1, seq: 1 },
    unique: true,
    partial: { seq: { $exists: true } },
  },
} as const satisfies Readonly<Record<string, IndexDeclaration>>;

export const rewardsDeclaration: CollectionDeclaration = {
  name: 'rewards',
  indexes: [...Object.values(rewardIndexes)],
};

/** The last number of a retailer's rewards that was allotted. */
export interface NumbersDocument {
  /** The retailer's id. */
  readonly _id: string;
  readonly last: number;
}

export const rewardNumbersDeclaration: CollectionDeclaration = { name: 'reward_numbers', indexes: [] };

/** Up to which place the events of a retailer's rewards have been published. */
export const rewardWatermarksDeclaration: CollectionDeclaration = { name: 'reward_watermarks', indexes: [] };
