import type { Collection } from 'mongodb';
import { rewardIssued } from '@receipts/contracts';
import { printEvent, type PrintedEvent } from '@receipts/kernel';
import {
  createArrivalRelay,
  databaseTimeoutMs,
  guarded,
  markWalk,
  type ArrivalRelay,
  type ArrivalRelayOptions,
  type MarkDocument,
} from '@receipts/storage';
import { rewardOf } from '../domain/reward';
import { rewardIndexes, type OrderedReward, type RewardDocument } from './reward-document';

export interface RewardEventsParts {
  readonly collection: Collection<RewardDocument>;
  readonly marks: Collection<MarkDocument>;
  readonly relay: Pick<
    ArrivalRelayOptions<OrderedReward>,
    'publish' | 'lease' | 'log' | 'metrics' | 'moveEveryMs' | 'sweepEveryMs' | 'stillAfterMs' | 'gatherMs'
  >;
}

const rewardBytes = 512;
const readConcern = 'majority';
const { name: hint } = rewardIndexes.order;

/** The same each time, because a reward changes only when its consumer is erased. */
export function eventsOfReward({ told, retailer, ...record }: OrderedReward): PrintedEvent[] {
  const { event: id, request: requestId, cause: causationId, trace } = told;
  const traced = trace === undefined ? {} : { traceparent: trace };
  const data = { ...rewardOf(record), program_id: record.programme };
  const facts = { subject: String(record.number), sequence: 1, data };
  const origin = { id, at: record.issuedAt, retailer, requestId, causationId, ...traced };
  return [printEvent(rewardIssued, facts, origin)];
}

/** Publishes the events of new rewards, which are generated from the rewards themselves. */
export class RewardEvents {
  readonly relay: ArrivalRelay<OrderedReward>;

  constructor(private readonly parts: RewardEventsParts) {
    const nextMarks = markWalk(parts.marks);
    this.relay = createArrivalRelay<OrderedReward>({
      ...parts.relay,
      name: 'rewards',
      marks: parts.marks,
      placeOf: ({ retailer, seq, issuedAt }) => ({ retailer, seq, at: issuedAt }),
      bytesOf: () => rewardBytes,
      eventsOf: eventsOfReward,
      readAfter: (retailer, seq, countMax) => this.readAfter(retailer, seq, countMax),
      lastOf: (retailer) => this.lastOf(retailer),
      heads: async () => {
        const marks = await nextMarks();
        return Promise.all(
          marks.map(async ({ _id: retailer }) => ({ retailer, last: await this.lastOf(retailer) })),
        );
      },
    });
  }

  /**
   * The last place that was used, also by rewards that were deleted. Before a retailer's first reward it creates the
   * mark, so that the events of a process that crashes are found.
   */
  async lastPlace(retailer: string): Promise<number> {
    const { upTo, above = [] } = await this.relay.mark(retailer);
    return Math.max(upTo, ...above.map(({ to }) => to), await this.lastOf(retailer));
  }

  /** True while a consumer's rewards have events that are not known to be published. */
  async isTelling(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    const { marks, collection } = this.parts;
    await this.relay.moveMarks();
    const { upTo = 0 } = (await marks.findOne({ _id: retailer }, { signal })) ?? {};
    const filter = { retailer, identifier, seq: { $gt: upTo } };
    const options = { projection: { _id: 1 }, hint: rewardIndexes.identifier.name, signal } as const;
    return (await collection.findOne(filter, options)) !== null;
  }

  /** A page of the rewards after a place, in order. */
  async readAfter(retailer: string, seq: number, limit: number): Promise<OrderedReward[]> {
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    const options = { sort: { seq: 1 }, limit, hint, readConcern, signal } as const;
    const filter = { retailer, seq: { $gt: seq } };
    return guarded(() => this.parts.collection.find<OrderedReward>(filter, options).toArray());
  }

  async lastOf(retailer: string): Promise<number> {
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    const options = { projection: { seq: 1 }, sort: { seq: -1 }, hint, readConcern, signal } as const;
    const last = await guarded(() => this.parts.collection.findOne({ retailer, seq: { $gt: 0 } }, options));
    return last?.seq ?? 0;
  }
}
