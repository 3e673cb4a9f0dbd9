import type { Collection } from 'mongodb';
import { idTimeMs } from '@receipts/kernel';
import {
  CreatedEventRelay,
  databaseTimeout,
  majorityRead,
  watermarkPages,
  type CreatedEventRelayOptions,
  type Head,
  type WatermarkDocument,
} from '@receipts/storage';
import { sequenceUsedMsMax, type SequencePosition } from './write-sequences';
import {
  eventsOfArrival,
  packetIndexes,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';

/**
 * A number in a sequence and its packet. If there is no packet, for example because it was already stored, the number
 * is unused.
 */
export interface Arrived extends SequencePosition {
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

/**
 * Older sequences have no writers, even if clocks differ. They are deleted once all their events have been published.
 */
const sequenceRetentionMs = 2 * sequenceUsedMsMax;
/** The size of a packet without its content. */
const factsBytes = 2_048;
const projection = { raw: 0, outbox: 0 } as const;

/** True if a change has published the first events of the packet, or has saved them in the outbox. */
const hasSavedFirstEvents = ({ version, arrival }: PacketWithoutBytes) =>
  version > 1 && arrival.converted === undefined;

/**
 * Publishes the events of arrived packets, which are generated from the packets. The progress is one number per
 * sequence, so that packets need not be updated.
 */
export class PacketArrivals {
  readonly relay: CreatedEventRelay<Arrived>;

  constructor(private readonly parts: PacketArrivalsParts) {
    this.relay = new CreatedEventRelay<Arrived>({
      ...parts.relay,
      name: 'packets that arrived',
      watermarks: parts.watermarks,
      // The relay orders by retailer; here, the sequence takes that role.
      positionOf: ({ sequence, number, packet }) => ({
        retailer: sequence,
        seq: number,
        at: packet?.receivedAt ?? new Date(0),
      }),
      bytesOf: () => factsBytes,
      eventsOf: ({ packet }) => (packet && !hasSavedFirstEvents(packet) ? eventsOfArrival(packet) : []),
      readAfter: (sequence, number, countMax) => this.readAfter(sequence, number, countMax),
      headPages: () => {
        const nextSequences = watermarkPages(parts.watermarks);
        return async () => this.headsOf(await nextSequences());
      },
      lastOf: (sequence) => this.lastOf(sequence),
    });
  }

  /** The ids of those packets whose first events may not have been published yet. A change must save these events. */
  unpublished(packets: readonly PacketWithoutBytes[]): Promise<ReadonlySet<string>> {
    return this.aboveWatermarks(packets.filter(({ version }) => version === 1));
  }

  /** The ids of those packets whose position in a sequence may not have been published yet. */
  async aboveWatermarks(packets: readonly PacketWithoutBytes[]): Promise<ReadonlySet<string>> {
    const isOpen = ({ sequence = '', number = 0 }: PacketWithoutBytes) =>
      !this.relay.isPublished(sequence, number);
    if (!packets.some(isOpen)) return new Set();
    await this.relay.flush();
    const open = packets.filter(isOpen);
    if (open.length === 0) return new Set();
    const sequences = [...new Set(open.flatMap(({ sequence = [] }) => sequence))];
    const found = await this.parts.watermarks.find({ _id: { $in: sequences } }, majorityRead()).toArray();
    const upTo = new Map(found.map((watermark) => [watermark._id, watermark.upTo]));
    // The watermark of a sequence is deleted once everything in it has been published.
    const left = open.filter(({ sequence = '', number = 0 }) => number > (upTo.get(sequence) ?? Infinity));
    return new Set(left.map(({ _id }) => _id));
  }

  /** Writes the watermark of a new sequence. */
  async open(sequence: string): Promise<void> {
    const signal = databaseTimeout();
    await this.parts.watermarks.insertOne({ _id: sequence, upTo: 0, rev: 0 }, { signal });
  }

  private async readAfter(sequence: string, number: number, countMax: number): Promise<Arrived[]> {
    const found = await this.parts.collection
      .find<PacketWithoutBytes & SequencePosition>(
        { sequence, number: { $gt: number } },
        {
          projection,
          sort: { number: 1 },
          limit: countMax,
          hint: packetIndexes.sequence.name,
          ...majorityRead(),
        },
      )
      .toArray();
    return found.map((packet) => ({ sequence, number: packet.number, packet }));
  }

  private async headsOf(sequences: readonly WatermarkDocument[]): Promise<Head[]> {
    const { watermarks, nowMs } = this.parts;
    const heads = await Promise.all(
      sequences.map(async ({ _id: sequence, upTo }) => ({
        retailer: sequence,
        last: await this.lastOf(sequence),
        upTo,
      })),
    );
    const isOver = ({ retailer: sequence, last, upTo }: (typeof heads)[number]) =>
      last <= upTo && nowMs() - idTimeMs(sequence) > sequenceRetentionMs;
    const over = heads.filter(isOver).map(({ retailer }) => retailer);
    if (over.length > 0) await watermarks.deleteMany({ _id: { $in: over } });
    return heads.filter((head) => !isOver(head));
  }

  private async lastOf(sequence: string): Promise<number> {
    const last = await this.parts.collection.findOne<SequencePosition>(
      { sequence },
      {
        projection: { number: 1 },
        sort: { number: -1 },
        hint: packetIndexes.sequence.name,
        ...majorityRead(),
      },
    );
    return last?.number ?? 0;
  }
}
