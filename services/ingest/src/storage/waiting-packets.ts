import type { Collection } from 'mongodb';
import { nextRetryAt } from '../domain/next-retry-at';
import type { PacketDocument } from './packet-document';

export interface WaitingPacket extends Pick<PacketDocument, '_id' | 'size' | 'retries'> {
  readonly retryAt: Date;
}

/** The packets of all retailers that have no outcome yet. */
export class WaitingPackets {
  constructor(private readonly collection: Collection<PacketDocument>) {}

  /** The packets without an outcome that are due, longest waiting first, without their content. */
  async due(now: Date, countMax: number): Promise<WaitingPacket[]> {
    return this.collection
      .find<WaitingPacket>(
        { retryAt: { $lte: now } },
        { projection: { size: 1, retries: 1, retryAt: 1 }, sort: { retryAt: 1 }, limit: countMax },
      )
      .toArray();
  }

  /**
   * Marks packets as due if their conversion request may have been lost: those without an outcome that were accepted
   * before a given time and have not been requested again since.
   */
  async makeDue(acceptedBefore: Date, now: Date, firstWaitMs: number): Promise<void> {
    await this.collection.updateMany(
      { retries: 0, retryAt: { $gt: now, $lte: nextRetryAt(acceptedBefore, 0, firstWaitMs) } },
      { $set: { retryAt: now } },
    );
  }

  /** Records that the conversion of these packets was requested again. */
  async recordRetries(packets: readonly WaitingPacket[], now: Date, firstWaitMs: number): Promise<void> {
    if (packets.length === 0) return;
    await this.collection.bulkWrite(
      packets.map(({ _id, retries, retryAt: due }) => ({
        updateOne: {
          filter: { _id, retryAt: due },
          update: { $set: { retryAt: nextRetryAt(now, retries + 1, firstWaitMs) }, $inc: { retries: 1 } },
        },
      })),
      { ordered: false },
    );
  }
}
