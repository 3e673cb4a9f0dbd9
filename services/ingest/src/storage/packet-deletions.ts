import { metadataWithoutPerson } from '@receipts/contracts';
import type { Collection } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import { databaseTimeout, majorityRead } from '@receipts/storage';
import { hasContent, packetIndexes, type PacketDocument, type PacketWithoutBytes } from './packet-document';

const withoutBytes = { raw: 0 } as const;
const isFinished = { status: { $ne: 'accepted' } } as const;

/**
 * The update that deletes the content of a packet and everything sent with it that may name a person. What remains says
 * when a packet arrived, how large it was and what became of it, and recognizes a repetition of its request.
 */
function deletion({ metadata }: Pick<PacketDocument, 'metadata'>, now: Date) {
  return {
    $set: {
      deletedAt: now,
      metadata: metadataWithoutPerson(metadata),
      properties: '{}',
      attachments: [],
      contentType: null,
      errors: '[]',
    },
    $unset: { raw: '' as const, confinedTo: '' as const, traceparent: '' as const },
  };
}

/** A position in the order in which packets were received. */
export interface PacketPosition {
  readonly at: Date;
  readonly id: string;
}

/** Deletes the content of packets, and finds the packets whose content is to be deleted. */
export class PacketDeletions {
  constructor(private readonly collection: Collection<PacketDocument>) {}

  /** Packets with an outcome that were posted with this identifier. */
  ofConsumer(
    retailer: string,
    identifier: string,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<PacketWithoutBytes[]> {
    return this.collection
      .find<PacketWithoutBytes>(
        { retailer, 'metadata.identifier': identifier, ...isFinished },
        {
          projection: withoutBytes,
          limit: count,
          hint: packetIndexes.identifier.name,
          ...majorityRead(timeLimit),
        },
      )
      .toArray();
  }

  /** True if packets that were posted with this identifier are being converted. */
  async isConverting(retailer: string, identifier: string, timeLimit: TimeLimit): Promise<boolean> {
    const found = await this.collection.findOne(
      { retailer, 'metadata.identifier': identifier, status: 'accepted' },
      { projection: { _id: 1 }, hint: packetIndexes.identifier.name, ...majorityRead(timeLimit) },
    );
    return found !== null;
  }

  /** Packets with an outcome but no receipts that were received before a time, oldest first. */
  withoutReceipts(
    retailer: string,
    before: Date,
    { at, id }: PacketPosition,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<PacketWithoutBytes[]> {
    return this.collection
      .find<PacketWithoutBytes>(
        {
          retailer,
          receivedAt: { $gte: at, $lt: before },
          $or: [{ receivedAt: { $gt: at } }, { _id: { $gt: id } }],
          'receiptIds.0': { $exists: false },
          ...isFinished,
          ...hasContent,
        },
        {
          projection: withoutBytes,
          sort: { receivedAt: 1, _id: 1 },
          limit: count,
          hint: packetIndexes.received.name,
          ...majorityRead(timeLimit),
        },
      )
      .toArray();
  }

  /** @returns false if the packet has changed in the meantime */
  async delete(packet: PacketWithoutBytes, now: Date): Promise<boolean> {
    const { _id, retailer, version } = packet;
    const { matchedCount } = await this.collection.updateOne(
      { _id, retailer, version },
      { ...deletion(packet, now), $inc: { version: 1 } },
      { signal: databaseTimeout() },
    );
    return matchedCount === 1;
  }

  /** For a packet whose content is still needed. @returns false if the packet has changed in the meantime */
  async removeIdentifier({ _id, retailer, version }: PacketWithoutBytes): Promise<boolean> {
    const { matchedCount } = await this.collection.updateOne(
      { _id, retailer, version },
      { $unset: { 'metadata.identifier': '' }, $inc: { version: 1 } },
      { signal: databaseTimeout() },
    );
    return matchedCount === 1;
  }
}
