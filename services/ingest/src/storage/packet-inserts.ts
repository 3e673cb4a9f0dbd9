import type { Collection } from 'mongodb';
import { deadlineSignal, isDuplicateKey, storageFault, writeErrorsByIndex } from '@receipts/storage';
import type { PacketDocument } from './packet-document';

/** `again`: the same packet is there already. `taken`: another packet has one of its keys. */
export type InsertOutcome = 'stored' | 'again' | 'taken';

interface Insert {
  readonly document: PacketDocument;
  readonly deadline: number;
  readonly resolve: (outcome: InsertOutcome) => void;
  readonly reject: (error: unknown) => void;
}

const insertsTogetherMax = 256;
const bytesTogetherMax = 8 * 1024 * 1024;
/** While one write is committed the next is sent. */
const writesAtOnce = 2;

function outcomeOf(fault: unknown): InsertOutcome | undefined {
  if (fault === undefined) return 'stored';
  if (isDuplicateKey(fault, '_id_')) return 'again';
  return isDuplicateKey(fault) ? 'taken' : undefined;
}

/** Packets that are to be written at the same time are written together. */
export class PacketInserts {
  private readonly waiting: Insert[] = [];
  private writing = 0;
  private isScheduled = false;

  constructor(private readonly collection: Pick<Collection<PacketDocument>, 'insertMany'>) {}

  /** @throws whatever the database throws when nothing is known about the outcome. */
  insert(document: PacketDocument, { deadline }: { readonly deadline: number }): Promise<InsertOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ document, deadline, resolve, reject });
      if (this.isScheduled) return;
      this.isScheduled = true;
      setImmediate(() => {
        this.isScheduled = false;
        this.pump();
      });
    });
  }

  private pump(): void {
    while (this.writing < writesAtOnce && this.waiting.length > 0) {
      this.writing++;
      void this.write(this.takeTogether()).finally(() => {
        this.writing--;
        this.pump();
      });
    }
  }

  private takeTogether(): Insert[] {
    let [count, bytes] = [0, 0];
    for (const { document } of this.waiting) {
      if (count >= insertsTogetherMax || (count > 0 && bytes + document.size > bytesTogetherMax)) break;
      count++;
      bytes += document.size;
    }
    return this.waiting.splice(0, count);
  }

  private async write(inserts: readonly Insert[]): Promise<void> {
    try {
      await this.collection.insertMany(
        inserts.map(({ document }) => document),
        { ordered: false, signal: deadlineSignal(inserts) },
      );
      for (const { resolve } of inserts) resolve('stored');
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (faults) return inserts.forEach((insert, index) => this.settle(insert, faults.get(index)));
      // One that cannot be written at all must not keep its neighbours from being written.
      if (inserts.length > 1 && !storageFault(error)) {
        for (const insert of inserts) await this.write([insert]);
        return;
      }
      for (const { reject } of inserts) reject(error);
    }
  }

  private settle({ resolve, reject }: Insert, fault: unknown): void {
    const outcome = outcomeOf(fault);
    if (outcome) resolve(outcome);
    else reject(fault);
  }
}
