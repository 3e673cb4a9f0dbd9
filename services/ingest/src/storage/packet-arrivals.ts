import type { Collection } from 'mongodb';
import { idTimeMs, type SerializedEvent } from '@receipts/kernel';
import {
  CreatedEventRelay,
  withStorageErrors,
  databaseTimeoutMs,
  watermarkPages,
  type CreatedEventRelayOptions,
  type Head,
  type WatermarkDocument,
} from '@receipts/storage';
import { acceptedEvent, finishedEvent } from '../domain/packet-events';
import { laneUsedMsMax, type LanePlace } from './lanes';
import { packetOf, packetIndexes, type PacketDocument, type PacketWithoutBytes } from './packet-document';

/** A place in a lane and its packet. Without a packet, as when it had been stored before, the place is empty. */
export interface Arrived extends LanePlace {
  readonly packet?: PacketWithoutBytes;
}

export interface PacketArrivalsParts {
  readonly collection: Collection<PacketDocument>;
  readonly watermarks: Collection<WatermarkDocument>;
  readonly relay: Pick<
    CreatedEventRelayOptions<Arrived>,
    'publish' | 'lease' | 'log' | 'metrics' | 'moveEveryMs' | 'sweepEveryMs' | 'stalledAfterMs'
  >;
  readonly nowMs: () => number;
}

/** Older lanes have no writers, even if clocks differ. They are deleted once all their events have been published. */
const laneKeptMs = 2 * laneUsedMsMax;
/** The size of a packet without its content. */
const factsBytes = 2_048;
const readConcern = 'majority';
const projection = { raw: 0, outbox: 0 } as const;

/**
 * Always the same events: a packet that was converted on arrival never changes, and neither do the fields that `accepted`
 * shows.
 */
export function eventsOfArrival(document: PacketWithoutBytes): SerializedEvent[] {
  const { arrival, retailer, requestId, traceparent, receivedAt, updatedAt } = document;
  const packet = packetOf(document);
  const cause = { retailer, requestId, causationId: arrival.cause, ...(traceparent && { traceparent }) };
  const accepted = acceptedEvent(packet, { id: arrival.accepted, at: receivedAt, ...cause });
  if (arrival.converted === undefined) return [accepted];
  return [accepted, finishedEvent(packet, { id: arrival.converted, at: updatedAt, ...cause })];
}

/**
 * Publishes the events of arrived packets, which are generated from the packets. The progress is one number per lane, so
 * that packets need not be updated.
 */
export class PacketArrivals {
  readonly relay: CreatedEventRelay<Arrived>;
  private readonly nextLanes: () => Promise<WatermarkDocument[]>;

  constructor(private readonly parts: PacketArrivalsParts) {
    this.nextLanes = watermarkPages(parts.watermarks);
    this.relay = new CreatedEventRelay<Arrived>({
      ...parts.relay,
      name: 'packets that arrived',
      watermarks: parts.watermarks,
      // The relay keeps order by retailer; here the lane takes that role.
      positionOf: ({ lane, number, packet }) => ({
        retailer: lane,
        seq: number,
        at: packet?.receivedAt ?? new Date(0),
      }),
      bytesOf: () => factsBytes,
      eventsOf: ({ packet }) => (packet ? eventsOfArrival(packet) : []),
      readAfter: (lane, number, countMax) => this.readAfter(lane, number, countMax),
      heads: () => this.heads(),
      lastOf: (lane) => this.lastOf(lane),
    });
  }

  /** Writes the watermark of a new lane. */
  async open(lane: string): Promise<void> {
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    await this.parts.watermarks.insertOne({ _id: lane, upTo: 0, rev: 0 }, { signal });
  }

  private async readAfter(lane: string, number: number, countMax: number): Promise<Arrived[]> {
    const found = await withStorageErrors(() =>
      this.parts.collection
        .find<PacketWithoutBytes & LanePlace>(
          { lane, number: { $gt: number } },
          {
            projection,
            sort: { number: 1 },
            limit: countMax,
            hint: packetIndexes.lane.name,
            readConcern,
            signal: AbortSignal.timeout(databaseTimeoutMs),
          },
        )
        .toArray(),
    );
    return found.map((packet) => ({ lane, number: packet.number, packet }));
  }

  private async heads(): Promise<Head[]> {
    const { watermarks, nowMs } = this.parts;
    const lanes = await this.nextLanes();
    const heads = await Promise.all(
      lanes.map(async ({ _id: lane, upTo }) => ({ retailer: lane, last: await this.lastOf(lane), upTo })),
    );
    const isOver = ({ retailer: lane, last, upTo }: (typeof heads)[number]) =>
      last <= upTo && nowMs() - idTimeMs(lane) > laneKeptMs;
    const over = heads.filter(isOver).map(({ retailer }) => retailer);
    if (over.length > 0) await withStorageErrors(() => watermarks.deleteMany({ _id: { $in: over } }));
    return heads.filter((head) => !isOver(head));
  }

  private async lastOf(lane: string): Promise<number> {
    const options = {
      projection: { number: 1 },
      sort: { number: -1 },
      hint: packetIndexes.lane.name,
    } as const;
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    const last = await withStorageErrors(() =>
      this.parts.collection.findOne<LanePlace>({ lane }, { ...options, readConcern, signal }),
    );
    return last?.number ?? 0;
  }
}
