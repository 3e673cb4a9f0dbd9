import { newId } from '@receipts/kernel';
import type { RewardDocument } from '../storage/reward-document';
import type { World } from './world';

/** Many rewards have the same second, so that the order among them matters too. */
const perMs = 30;

/** Stores rewards of programme 1, numbered from 1 in order of time. */
export async function storeRewards(world: World, retailer: string, identifier: string, count: number) {
  const firstAt = Date.parse('2026-03-14T12:00:00Z');
  const documents = Array.from({ length: count }, (_, n) => ({
    _id: newId(),
    retailer,
    number: n + 1,
    programme: 1,
    identifier,
    threshold: n + 1,
    name: '5 off',
    value: 5,
    claimed: false,
    issuedAt: new Date(firstAt + Math.floor(n / perMs)),
    receiptTimestamp: '2026-03-14T12:00:00+00:00',
  }));
  await world.database.db.collection<RewardDocument>('rewards').insertMany(documents);
}
