import type { Collection } from 'mongodb';
import { idTimeMs, type SerializedEvent } from '@receipts/kernel';
import {
  CreatedEventRelay,
  withStorageErrors,
  databaseTimeout,
  watermarkPages,
  type CreatedEventRelayOptions,
  type Head,
  type WatermarkDocument,
} from '@receipts/storage';
import { acceptedEvent, finishedEvent } from '../domain/packet-events';
import { sequenceUsedMsMax, type SequencePosition } from './write-sequences';
import { packetOf, packetIndexes, type PacketDocument, type PacketWithoutBytes } from './packet-document';

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
const readConcern = 'majority';
const projection = { raw: 0, outbox: 0 } as const;

/**
 * The events are always the same: a packet that was converted on arrival never changes, and neither do the fields in
 * `accepted`.
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
      eventsOf: ({ packet }) => (packet ? eventsOfArrival(packet) : []),
      readAfter: (sequence, number, countMax) => this.readAfter(sequence, number, countMax),
      headPages: () => {
        const nextSequences = watermarkPages(parts.watermarks);
        return async () => this.headsOf(await nextSequences());
      },
      lastOf: (sequence) => this.lastOf(sequence),
    });
  }

  /** Writes the watermark of a new sequence. */
  async open(sequence: string): Promise<void> {
    const signal = databaseTimeout();
    await this.parts.watermarks.insertOne({ _id: sequence, upTo: 0, rev: 0 }, { signal });
  }

  private async readAfter(sequence: string, number: number, countMax: number): Promise<Arrived[]> {
    const found = await withStorageErrors(() =>
      this.parts.collection
        .find<PacketWithoutBytes & SequencePosition>(
          { sequence, number: { $gt: number } },
          {
            projection,
            sort: { number: 1 },
            limit: countMax,
            hint: packetIndexes.sequence.name,
            readConcern,
            signal: databaseTimeout(),
          },
        )
        .toArray(),
    );
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
    if (over.length > 0) await withStorageErrors(() => watermarks.deleteMany({ _id: { $in: over } }));
    return heads.filter((head) => !isOver(head));
  }

  private async lastOf(sequence: string): Promise<number> {
    const options = {
      projection: { number: 1 },
      sort: { number: -1 },
      hint: packetIndexes.sequence.name,
    } as const;
    const signal = databaseTimeout();
    const last = await withStorageErrors(() =>
      this.parts.collection.findOne<SequencePosition>({ sequence }, { ...options, readConcern, signal }),
    );
    return last?.number ?? 0;
  }
}
