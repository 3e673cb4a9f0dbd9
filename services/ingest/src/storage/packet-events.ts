import type { Collection } from 'mongodb';
import { idTimeMs, type SerializedEvent } from '@receipts/kernel';
import {
  CreatedEventRelay,
  databaseTimeout,
  majorityRead,
  watermarkPages,
  type CreatedEventRelayOptions,
  type Head,
  type WatermarkDocument,
} from '@receipts/storage';
import { sequenceUsedMsMax, type PacketNumber } from './write-sequences';
import {
  eventOfArrival,
  eventOfConversion,
  packetIndexes,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';

/**
 * A number in a sequence and its packet. If there is no packet, for example because it was already stored, the number
 * is unused.
 */
export interface NumberedPacket extends PacketNumber {
  readonly packet?: PacketWithoutBytes;
}

/** The two events that are generated from packets. A packet has a position in a sequence for each of them. */
const sources = {
  arrivals: {
    name: 'packets that arrived',
    fields: { sequence: 'sequence', number: 'number' },
    index: packetIndexes.sequence.name,
    since: 'receivedAt',
    positionOf: ({ sequence = '', number = 0 }: PacketWithoutBytes) => ({ sequence, number }),
    eventOf: eventOfArrival,
  },
  conversions: {
    name: 'packets that were converted',
    fields: { sequence: 'conversion.sequence', number: 'conversion.number' },
    index: packetIndexes.conversionSequence.name,
    since: 'updatedAt',
    positionOf: ({ conversion }: PacketWithoutBytes) => ({
      sequence: conversion?.sequence ?? '',
      number: conversion?.number ?? 0,
    }),
    eventOf: eventOfConversion,
  },
} as const;

export interface PacketEventsDependencies {
  readonly of: keyof typeof sources;
  /** The events that these events must not overtake. */
  readonly after?: PacketEvents;
  readonly collection: Collection<PacketDocument>;
  readonly watermarks: Collection<WatermarkDocument>;
  readonly relay: Pick<
    CreatedEventRelayOptions<NumberedPacket>,
    'publish' | 'lease' | 'log' | 'metrics' | 'stalledAfterMs'
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

/**
 * Publishes events that are generated from packets. The progress is one number per sequence, so that packets need not be
 * updated.
 */
export class PacketEvents {
  readonly relay: CreatedEventRelay<NumberedPacket>;
  private readonly source: (typeof sources)[keyof typeof sources];

  constructor(private readonly deps: PacketEventsDependencies) {
    this.source = sources[deps.of];
    const { name, since } = this.source;
    this.relay = new CreatedEventRelay<NumberedPacket>({
      ...deps.relay,
      name,
      watermarks: deps.watermarks,
      // The relay orders by retailer; here, the sequence takes that role.
      positionOf: ({ sequence, number, packet }) => ({
        retailer: sequence,
        seq: number,
        at: packet?.[since] ?? new Date(0),
      }),
      bytesOf: () => factsBytes,
      eventsOf: ({ packet }) => (packet ? this.eventsOf(packet) : []),
      readAfter: (sequence, number, countMax) => this.readAfter(sequence, number, countMax),
      headPages: () => {
        const nextSequences = watermarkPages(deps.watermarks);
        return async () => this.headsOf(await nextSequences());
      },
      lastOf: (sequence) => this.lastOf(sequence),
    });
  }

  /** Publishes the events of packets that were just written. */
  publish(packets: readonly PacketWithoutBytes[]): void {
    this.relay.enqueue(packets.map((packet) => ({ ...this.source.positionOf(packet), packet })));
  }

  /** Publishes those events of these packets that are waiting in this process. */
  async flush(packets: readonly PacketWithoutBytes[]): Promise<void> {
    if (packets.some((packet) => this.isOpen(packet))) await this.relay.flush();
  }

  /** The ids of those packets whose event may not have been published yet. */
  async unpublished(packets: readonly PacketWithoutBytes[]): Promise<ReadonlySet<string>> {
    await this.flush(packets);
    const { positionOf } = this.source;
    const open = packets.filter((packet) => this.isOpen(packet));
    if (open.length === 0) return new Set();
    const sequences = [...new Set(open.map((packet) => positionOf(packet).sequence))];
    const found = await this.deps.watermarks.find({ _id: { $in: sequences } }, majorityRead()).toArray();
    const upTo = new Map(found.map((watermark) => [watermark._id, watermark.upTo]));
    // The watermark of a sequence is deleted once everything in it has been published.
    const left = open.filter((packet) => {
      const { sequence, number } = positionOf(packet);
      return number > (upTo.get(sequence) ?? Infinity);
    });
    return new Set(left.map(({ _id }) => _id));
  }

  /** False if the event of the packet is known to be published, or if the packet has no such event. */
  private isOpen(packet: PacketWithoutBytes): boolean {
    const { sequence, number } = this.source.positionOf(packet);
    return number > 0 && !this.relay.isPublished(sequence, number);
  }

  /** If another process may not have published the earlier event of the packet yet, it is published again. */
  private eventsOf(packet: PacketWithoutBytes): SerializedEvent[] {
    const { after } = this.deps;
    const earlier = after?.isOpen(packet) ? after.eventsOf(packet) : [];
    return [...earlier, this.source.eventOf(packet) ?? []].flat();
  }

  /** Writes the watermark of a new sequence. */
  async open(sequence: string): Promise<void> {
    const signal = databaseTimeout();
    await this.deps.watermarks.insertOne({ _id: sequence, upTo: 0, rev: 0 }, { signal });
  }

  private async readAfter(sequence: string, number: number, countMax: number): Promise<NumberedPacket[]> {
    const { fields, index, positionOf } = this.source;
    const found = await this.deps.collection
      .find<PacketWithoutBytes>(
        { [fields.sequence]: sequence, [fields.number]: { $gt: number } },
        { projection, sort: { [fields.number]: 1 }, limit: countMax, hint: index, ...majorityRead() },
      )
      .toArray();
    return found.map((packet) => ({ ...positionOf(packet), packet }));
  }

  private async headsOf(sequences: readonly WatermarkDocument[]): Promise<Head[]> {
    const { watermarks, nowMs } = this.deps;
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
    const { fields, index, positionOf } = this.source;
    const last = await this.deps.collection.findOne<PacketWithoutBytes>(
      { [fields.sequence]: sequence },
      {
        projection: { [fields.sequence]: 1, [fields.number]: 1 },
        sort: { [fields.number]: -1 },
        hint: index,
        ...majorityRead(),
      },
    );
    return last ? positionOf(last).number : 0;
  }
}
