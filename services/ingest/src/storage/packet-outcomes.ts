import type { Collection } from 'mongodb';
import { BatchScheduler } from '@receipts/concurrency';
import { databaseTimeout } from '@receipts/storage';
import {
  packetIndexes,
  type outcomeFields,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';
import type { SequencePosition, WriteSequences } from './write-sequences';

export type StoredPacket = PacketDocument & SequencePosition;

interface Save {
  readonly stored: StoredPacket;
  readonly fields: ReturnType<typeof outcomeFields>;
  readonly resolve: (saved: (PacketWithoutBytes & SequencePosition) | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const batchCountMax = 256;
const writesAtOnce = 2;

/**
 * Saves the outcomes of packets that this process has just stored: concurrent outcomes with one command, and without
 * reading the packets. A finished packet moves to a new position in a sequence, because the events of its first
 * position may already count as published.
 */
export class PacketOutcomes {
  private readonly waiting: Save[] = [];
  private readonly scheduler = new BatchScheduler<Save>({
    waitingCount: () => this.waiting.length,
    take: () => this.waiting.splice(0, batchCountMax),
    run: (saves) => this.write(saves),
    concurrency: writesAtOnce,
  });

  /** @param unused called with positions that no packet occupies any more */
  constructor(
    private readonly collection: Pick<Collection<PacketDocument>, 'bulkWrite' | 'find'>,
    private readonly sequences: Pick<WriteSequences, 'take' | 'release'>,
    private readonly unused: (positions: readonly SequencePosition[]) => void,
  ) {}

  /**
   * @returns the saved packet; undefined if it has been changed in the meantime
   * @throws the database's error if the outcome is unknown
   */
  save(
    stored: StoredPacket,
    fields: Save['fields'],
  ): Promise<(PacketWithoutBytes & SequencePosition) | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ stored, fields, resolve, reject });
      this.scheduler.schedule();
    });
  }

  private async write(saves: readonly Save[]): Promise<void> {
    try {
      const sequence = await this.sequences.take();
      const writes = saves.map((save) => ({ position: sequence.next(), ...save }));
      const first = writes[0]?.position.number ?? 0;
      const { matchedCount } = await this.collection.bulkWrite(
        writes.map(({ stored: { _id, retailer, version }, fields, position }) => ({
          updateOne: {
            filter: { _id, retailer, version },
            update: { $set: { ...fields, ...position }, $unset: { retryAt: '' } },
          },
        })),
        { ordered: false, signal: databaseTimeout() },
      );
      const isSaved =
        matchedCount === writes.length ? () => true : await this.savedPositions(sequence.id, first);
      this.sequences.release(sequence);
      this.unused(
        writes.map(({ stored, position }) => {
          const { sequence: id, number } = isSaved(position) ? stored : position;
          return { sequence: id, number };
        }),
      );
      for (const { stored, fields, position, resolve } of writes) {
        const { raw: _, retryAt: __, ...accepted } = stored;
        resolve(isSaved(position) ? { ...accepted, ...fields, ...position } : undefined);
      }
    } catch (error) {
      for (const { reject } of saves) reject(error);
    }
  }

  /** Finds out which packets of a batch were changed; the command returns only how many were updated. */
  private async savedPositions(sequence: string, first: number) {
    const found = await this.collection
      .find<SequencePosition>(
        { sequence, number: { $gte: first } },
        { projection: { number: 1 }, hint: packetIndexes.sequence.name, signal: databaseTimeout() },
      )
      .toArray();
    const numbers = new Set(found.map(({ number }) => number));
    return ({ number }: SequencePosition) => numbers.has(number);
  }
}
