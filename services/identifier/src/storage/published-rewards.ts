import type { Collection } from 'mongodb';
import type { Call } from '@receipts/kernel';
import {
  deadlineSignal,
  withStorageErrors,
  inTransitMs,
  type PublishedPage,
  type PublishedEventSource,
} from '@receipts/storage';
import type { RewardDocument } from './reward-document';
import { eventsOfReward, type RewardEvents } from './reward-events';

const readConcern = 'majority';

/** The events of rewards, generated from the rewards again, in the order of their places, which has no gaps. */
export class PublishedRewards implements PublishedEventSource {
  constructor(
    private readonly collection: Collection<RewardDocument>,
    private readonly events: Pick<RewardEvents, 'lastOf' | 'readAfter'>,
    private readonly now: () => Date,
  ) {}

  async list(after: string | null, count: number, { retailer }: Call): Promise<PublishedPage> {
    if (after === null) {
      return { entries: [], next: String(await this.events.lastOf(retailer)), more: false };
    }
    const found = await this.events.readAfter(retailer, Number(after), count);
    const until = this.now().getTime() - inTransitMs;
    const young = found.findIndex(({ issuedAt }) => issuedAt.getTime() > until);
    const settled = young < 0 ? found : found.slice(0, young);
    return {
      entries: settled.map(({ _id, issuedAt, origin }) => {
        return { id: _id, at: issuedAt.toISOString(), events: [origin.event] };
      }),
      next: String(settled.at(-1)?.seq ?? after),
      more: settled.length === count,
    };
  }

  async republish(ids: readonly string[], call: Call): Promise<readonly string[]> {
    const filter = { _id: { $in: [...ids] }, retailer: call.retailer, seq: { $gt: 0 } };
    const found = await withStorageErrors(() =>
      this.collection.find<RewardDocument>(filter, { readConcern, signal: deadlineSignal(call) }).toArray(),
    );
    return found.flatMap(eventsOfReward).map(({ text }) => text);
  }
}
