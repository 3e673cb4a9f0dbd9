import type { Collection } from 'mongodb';
import { updateVersioned, type OutboxItem } from '@receipts/storage';
import type { Packet } from '../domain/packet-state';
import {
  packetIndexes,
  type Conversion,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';
import type { PacketNumber, WriteSequences } from './write-sequences';

/** The fields of a packet that an outcome changes. */
function finishedFields({ status, reason, errors, mapping, receiptIds, updatedAt }: Packet) {
  const set = { status, receiptIds, updatedAt, errors: JSON.stringify(errors) };
  return {
    $set: { ...set, ...(reason && { reason }), ...(mapping && { mapping }) },
    $unset: {
      retryAt: '' as const,
      ...(!reason && { reason: '' as const }),
      ...(!mapping && { mapping: '' as const }),
    },
  };
}

/** A packet with its new outcome, and the event of that outcome: generated from the packet, or stored in its outbox. */
export interface FinishedPacket {
  /** The packet as it was read. */
  readonly before: PacketWithoutBytes;
  readonly packet: Packet;
  readonly event:
    | { readonly conversion: Omit<Conversion, keyof PacketNumber> }
    | { readonly item: OutboxItem };
}

export interface SavedOutcomes {
  /** The packets whose events are generated from them. */
  readonly converted: readonly PacketWithoutBytes[];
  /** False if another process has changed one of the packets in the meantime; the others are saved. */
  readonly isComplete: boolean;
}

/** Saves the outcomes of conversions. */
export class PacketOutcomes {
  /** @param unused called with positions that no packet occupies */
  constructor(
    private readonly collection: Collection<PacketDocument>,
    private readonly sequences: Pick<WriteSequences, 'take' | 'release'>,
    private readonly unused: (positions: readonly PacketNumber[]) => void,
  ) {}

  /**
   * Saves outcomes with one command.
   * @throws the database's error if the outcome is unknown
   */
  async save(finished: readonly FinishedPacket[], signal: AbortSignal): Promise<SavedOutcomes> {
    const sequence = finished.some(({ event }) => 'conversion' in event)
      ? await this.sequences.take()
      : undefined;
    const writes = finished.map((one) => ({
      ...one,
      conversion:
        sequence && 'conversion' in one.event ? { ...one.event.conversion, ...sequence.next() } : undefined,
    }));
    const { matchedCount } = await this.collection.bulkWrite(
      writes.map(({ before, packet, event, conversion }) => {
        const { $set, $unset } = finishedFields(packet);
        return {
          updateOne: {
            filter: { _id: packet.id, retailer: packet.retailer, version: before.version },
            update: {
              $set: { ...$set, ...(conversion && { conversion }) },
              $unset,
              $inc: { version: 1 },
              ...('item' in event && { $push: { outbox: event.item } }),
            },
          },
        };
      }),
      { ordered: false, signal },
    );
    if (sequence) this.sequences.release(sequence);
    const isComplete = matchedCount === writes.length;
    const numbered = writes.flatMap(({ before, packet, conversion }) => {
      if (!conversion) return [];
      const { retryAt: _, ...rest } = before;
      return [{ ...rest, ...finishedFields(packet).$set, version: packet.version, conversion }];
    });
    const first = numbered[0]?.conversion;
    const isSaved = isComplete || !first ? () => true : await this.savedPositions(first, signal);
    this.unused(numbered.filter((one) => !isSaved(one.conversion)).map(({ conversion }) => conversion));
    return { converted: numbered.filter((one) => isSaved(one.conversion)), isComplete };
  }

  /**
   * Applies a decision to the current state of one packet.
   * @param decide must be pure: it runs again if another process has changed the packet
   */
  async saveOne(
    retailer: string,
    id: string,
    decide: (
      packet: PacketWithoutBytes,
    ) => { readonly packet: Packet; readonly item: OutboxItem } | undefined,
  ): Promise<void> {
    await updateVersioned<PacketDocument, void>({
      collection: this.collection,
      retailer,
      id,
      decide(current) {
        const finished = decide(current);
        if (!finished) return { result: undefined };
        return { update: finishedFields(finished.packet), outbox: [finished.item], result: undefined };
      },
    });
  }

  /** Finds out which packets of a batch were changed; the command returns only how many were updated. */
  private async savedPositions({ sequence, number }: PacketNumber, signal: AbortSignal) {
    const found = await this.collection
      .find<Pick<PacketDocument, 'conversion'>>(
        { 'conversion.sequence': sequence, 'conversion.number': { $gte: number } },
        {
          projection: { 'conversion.number': 1 },
          hint: packetIndexes.conversionSequence.name,
          signal,
        },
      )
      .toArray();
    const numbers = new Set(found.map(({ conversion }) => conversion?.number));
    return (position: PacketNumber) => numbers.has(position.number);
  }
}
