import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import { isDuplicateKey, writeErrorsByIndex, type Log } from '@receipts/storage';
import { receiptIndexes, type StoredReceipt } from './receipt-document';
import type { OpenBlock, SequenceDocument } from './sequence';

/** A writer gives up on its write long before that, so one that is silent for so long is dead or stuck. */
const abandonedAfterMs = 3_000;

/**
 * Finds blocks of the order of arrival whose writer has died, and settles them. The numbers that the writer has not filled
 * are occupied by tombstones, which no reader sees: should its write arrive after all, the unique index refuses it.
 */
export class AbandonedBlocks {
  /** When this process first saw each block open, by retailer and token; clocks of other processes do not matter. */
  private readonly firstSeen = new Map<string, Map<string, number>>();
  private readonly fencing = new Map<string, Promise<void>>();

  constructor(
    private readonly receipts: Collection<StoredReceipt>,
    private readonly sequences: Collection<SequenceDocument>,
    private readonly log: Log,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Looks at a sequence that was read for another reason. */
  observe(sequence: SequenceDocument): void {
    const { _id: retailer, open } = sequence;
    if (open.length === 0) {
      this.firstSeen.delete(retailer);
      return;
    }
    const before = this.firstSeen.get(retailer);
    const seen = new Map<string, number>();
    for (const block of open) {
      const since = before?.get(block.token) ?? this.now();
      seen.set(block.token, since);
      if (this.now() - since >= abandonedAfterMs) this.fence(retailer, block);
    }
    this.firstSeen.set(retailer, seen);
  }

  /** Resolves when nothing is being settled. */
  async drain(): Promise<void> {
    await Promise.all(this.fencing.values());
  }

  private fence(retailer: string, block: OpenBlock): void {
    if (this.fencing.has(block.token)) return;
    const work = this.settle(retailer, block)
      .then((tombstones) =>
        this.log.warn('settled an abandoned block of the order of arrival', { tombstones }),
      )
      .catch((error: unknown) => {
        // The block is still open, so the next look tries again.
        this.log.warn('could not settle an abandoned block', { error: (error as Error).name });
      })
      .finally(() => this.fencing.delete(block.token));
    this.fencing.set(block.token, work);
  }

  private async settle(retailer: string, { token, from, to }: OpenBlock): Promise<number> {
    const written = await this.receipts
      .find({ retailer, seq: { $gte: from, $lte: to } }, { projection: { seq: 1 } })
      .toArray();
    const filled = new Set(written.map(({ seq }) => seq));
    const tombstones: StoredReceipt[] = [];
    for (let seq = from; seq <= to; seq++) {
      if (!filled.has(seq)) tombstones.push({ _id: newId(), retailer, seq, version: 0 });
    }
    if (tombstones.length > 0) await this.occupy(tombstones);
    await this.sequences.updateOne({ _id: retailer }, { $pull: { open: { token } } });
    return tombstones.length;
  }

  private async occupy(tombstones: readonly StoredReceipt[]): Promise<void> {
    try {
      await this.receipts.insertMany([...tombstones], { ordered: false });
    } catch (error) {
      // The writer, or another process that fences, was quicker with some of them.
      const faults = writeErrorsByIndex(error);
      const { name } = receiptIndexes.arrival;
      if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault, name))) throw error;
    }
  }
}
