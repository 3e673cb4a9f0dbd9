import type { Collection } from 'mongodb';
import type { OutboxItem } from '@receipts/storage';
import type { Packet } from '../domain/packet-state';
import type { Conversion, PacketDocument, PacketWithoutBytes } from './packet-document';

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
  readonly event: { readonly conversion: Conversion } | { readonly item: OutboxItem };
}

/** A packet whose first attempt succeeded, as it is saved. */
export function convertedDocument(
  before: PacketWithoutBytes,
  packet: Packet,
  conversion: Conversion,
): PacketWithoutBytes {
  const { retryAt: _, ...rest } = before;
  return { ...rest, ...finishedFields(packet).$set, version: packet.version, conversion };
}

/** Saves the outcomes of conversions. */
export class PacketOutcomes {
  constructor(private readonly collection: Pick<Collection<PacketDocument>, 'bulkWrite'>) {}

  /**
   * Saves outcomes with one command.
   * @returns false if another process has changed one of the packets in the meantime; the others are saved
   * @throws the database's error if the outcome is unknown
   */
  async save(finished: readonly FinishedPacket[], signal: AbortSignal): Promise<boolean> {
    const { matchedCount } = await this.collection.bulkWrite(
      finished.map(({ before, packet, event }) => {
        const { $set, $unset } = finishedFields(packet);
        return {
          updateOne: {
            filter: { _id: packet.id, retailer: packet.retailer, version: before.version },
            update: {
              $set: { ...$set, ...('conversion' in event && { conversion: event.conversion }) },
              $unset,
              $inc: { version: 1 },
              ...('item' in event && { $push: { outbox: event.item } }),
            },
          },
        };
      }),
      { ordered: false, signal },
    );
    return matchedCount === finished.length;
  }
}
