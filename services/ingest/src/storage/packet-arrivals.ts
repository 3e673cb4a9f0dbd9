import type { Collection } from 'mongodb';
import { idTimeMs, type PrintedEvent } from '@receipts/kernel';
import {
  createArrivalRelay,
  guarded,
  databaseTimeoutMs,
  type ArrivalRelay,
  type ArrivalRelayOptions,
  type Head,
  type MarkDocument,
} from '@receipts/storage';
import { acceptedEvent, finishedEvent } from '../domain/packet-events';
import { laneUsedMsMax, type LanePlace } from './lanes';
import { packetOf, packetIndexes, type PacketDocument, type PacketWithoutBytes } from './packet-document';

/** A place in a lane, and the packet that has it: none where the packet was there before. */
export interface Arrived extends LanePlace {
  readonly packet?: PacketWithoutBytes;
}

export interface PacketArrivalsParts {
  readonly collection: Collection<PacketDocument>;
  readonly marks: Collection<MarkDocument>;
  readonly relay: Pick<
    ArrivalRelayOptions<Arrived>,
    'publish' | 'lease' | 'log' | 'metrics' | 'moveEveryMs' | 'sweepEveryMs' | 'stillAfterMs'
  >;
  readonly nowMs: () => number;
}

/** Nobody writes into such an old lane any more, whatever their clock says: once all of it is told it is forgotten. */
const laneKeptMs = 2 * laneUsedMsMax;
/** Lanes that are looked at for packets of dead processes, in turn. */
const lanesAtOnceMax = 20;
/** A packet without its bytes. */
const factsBytes = 2_048;
const readConcern = 'majority';
const projection = { raw: 0, outbox: 0 } as const;

/** The same ones each time: a packet that was converted as it arrived never changes, and the rest of the facts never do. */
export function eventsOfArrival(document: PacketWithoutBytes): PrintedEvent[] {
  if (!document.arrival) return [];
  const { arrival, retailer, requestId, traceparent, receivedAt, updatedAt } = document;
  const packet = packetOf(document);
  const cause = { retailer, requestId, causationId: arrival.cause, ...(traceparent && { traceparent }) };
  const accepted = acceptedEvent(packet, { id: arrival.accepted, at: receivedAt, ...cause });
  if (arrival.converted === undefined) return [accepted];
  return [accepted, finishedEvent(packet, { id: arrival.converted, at: updatedAt, ...cause })];
}

/**
 * Publishes the events of packets that have arrived, which are made of the packets themselves. How far that is done is one
 * number a lane, so that nothing is written into the packets.
 */
export class PacketArrivals {
  readonly relay: ArrivalRelay<Arrived>;
  private lastLooked = '';

  constructor(private readonly parts: PacketArrivalsParts) {
    this.relay = createArrivalRelay<Arrived>({
      ...parts.relay,
      name: 'packets that arrived',
      marks: parts.marks,
      // The relay's order is by retailer; ours is by lane.
      placeOf: ({ lane, number, packet }) => ({
        retailer: lane,
        seq: number,
        at: packet?.receivedAt ?? new Date(0),
      }),
      bytesOf: () => factsBytes,
      eventsOf: ({ packet }) => (packet ? eventsOfArrival(packet) : []),
      readAfter: (lane, number, countMax) => this.readAfter(lane, number, countMax),
      heads: () => this.heads(),
    });
  }

  /** Makes the mark of a new lane. */
  async open(lane: string): Promise<void> {
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    await this.parts.marks.insertOne({ _id: lane, upTo: 0 }, { signal });
  }

  private async readAfter(lane: string, number: number, countMax: number): Promise<Arrived[]> {
    const found = await guarded(() =>
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
    const { marks, nowMs } = this.parts;
    const lanes = await guarded(() =>
      marks.find({ _id: { $gt: this.lastLooked } }, { sort: { _id: 1 }, limit: lanesAtOnceMax }).toArray(),
    );
    this.lastLooked = lanes.length === lanesAtOnceMax ? (lanes.at(-1)?._id ?? '') : '';
    const heads = await Promise.all(
      lanes.map(async ({ _id: lane, upTo }) => ({ retailer: lane, last: await this.lastOf(lane), upTo })),
    );
    const isOver = ({ retailer: lane, last, upTo }: (typeof heads)[number]) =>
      last <= upTo && nowMs() - idTimeMs(lane) > laneKeptMs;
    const over = heads.filter(isOver).map(({ retailer }) => retailer);
    if (over.length > 0) await guarded(() => marks.deleteMany({ _id: { $in: over } }));
    return heads.filter((head) => !isOver(head));
  }

  private async lastOf(lane: string): Promise<number> {
    const options = {
      projection: { number: 1 },
      sort: { number: -1 },
      hint: packetIndexes.lane.name,
    } as const;
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    const last = await guarded(() =>
      this.parts.collection.findOne<LanePlace>({ lane }, { ...options, readConcern, signal }),
    );
    return last?.number ?? 0;
  }
}
