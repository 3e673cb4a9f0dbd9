import type { Collection } from 'mongodb';
import { rewardIssued } from '@receipts/contracts';
import { serializeEvent, type SerializedEvent } from '@receipts/kernel';
import {
  CreatedEventRelay,
  databaseTimeout,
  withStorageErrors,
  watermarkPages,
  type CreatedEventRelayOptions,
  type WatermarkDocument,
} from '@receipts/storage';
import { rewardOf } from '../domain/reward';
import { rewardIndexes, type RewardDocument } from './reward-document';

export interface RewardEventsParts {
  readonly collection: Collection<RewardDocument>;
  readonly watermarks: Collection<WatermarkDocument>;
  readonly relay: Pick<
    CreatedEventRelayOptions<RewardDocument>,
    | 'publish'
    | 'lease'
    | 'log'
    | 'metrics'
    | 'moveEveryMs'
    | 'sweepEveryMs'
    | 'stalledAfterMs'
    | 'batchWindowMs'
  >;
}

const rewardBytes = 512;
const readConcern = 'majority';
const { name: hint } = rewardIndexes.order;

/** The same each time, because a reward changes only when its consumer is erased. */
export function eventsOfReward({ origin: from, retailer, ...record }: RewardDocument): SerializedEvent[] {
  const { event: id, request: requestId, cause: causationId, trace } = from;
  const traced = trace === undefined ? {} : { traceparent: trace };
  const data = { ...rewardOf(record), program_id: record.programme };
  const facts = { subject: String(record.number), sequence: 1, data };
  const origin = { id, at: record.issuedAt, retailer, requestId, causationId, ...traced };
  return [serializeEvent(rewardIssued, facts, origin)];
}

/** Publishes the events of new rewards, which are generated from the rewards themselves. */
export class RewardEvents {
  readonly relay: CreatedEventRelay<RewardDocument>;

  constructor(private readonly parts: RewardEventsParts) {
    const nextWatermarks = watermarkPages(parts.watermarks);
    this.relay = new CreatedEventRelay<RewardDocument>({
      ...parts.relay,
      name: 'rewards',
      watermarks: parts.watermarks,
      positionOf: ({ retailer, seq, issuedAt }) => ({ retailer, seq, at: issuedAt }),
      bytesOf: () => rewardBytes,
      eventsOf: eventsOfReward,
      readAfter: (retailer, seq, countMax) => this.readAfter(retailer, seq, countMax),
      lastOf: (retailer) => this.lastOf(retailer),
      heads: async () => {
        const watermarks = await nextWatermarks();
        return Promise.all(
          watermarks.map(async ({ _id: retailer }) => ({ retailer, last: await this.lastOf(retailer) })),
        );
      },
    });
  }

  /**
   * The last place that was used, also by rewards that were deleted. Before a retailer's first reward it creates the
   * watermark, so that the events of a process that crashes are found.
   */
  async lastNumber(retailer: string): Promise<number> {
    const { upTo, completedRanges = [] } = await this.relay.watermark(retailer);
    return Math.max(upTo, ...completedRanges.map(({ to }) => to), await this.lastOf(retailer));
  }

  /** True while a consumer's rewards have events that are not known to be published. */
  async hasUnpublishedEvents(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    const { watermarks, collection } = this.parts;
    await this.relay.moveWatermarks();
    const { upTo = 0 } = (await watermarks.findOne({ _id: retailer }, { signal })) ?? {};
    const filter = { retailer, identifier, seq: { $gt: upTo } };
    const options = { projection: { _id: 1 }, hint: rewardIndexes.identifier.name, signal } as const;
    return (await collection.findOne(filter, options)) !== null;
  }

  /** A page of the rewards after a place, in order. */
  async readAfter(retailer: string, seq: number, limit: number): Promise<RewardDocument[]> {
    const signal = databaseTimeout();
    const options = { sort: { seq: 1 }, limit, hint, readConcern, signal } as const;
    const filter = { retailer, seq: { $gt: seq } };
    return withStorageErrors(() => this.parts.collection.find<RewardDocument>(filter, options).toArray());
  }

  async lastOf(retailer: string): Promise<number> {
    const signal = databaseTimeout();
    const options = { projection: { seq: 1 }, sort: { seq: -1 }, hint, readConcern, signal } as const;
    const last = await withStorageErrors(() =>
      this.parts.collection.findOne({ retailer, seq: { $gt: 0 } }, options),
    );
    return last?.seq ?? 0;
  }
}
