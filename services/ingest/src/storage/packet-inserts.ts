import type { Collection } from 'mongodb';
import { BatchScheduler, countThatFits, groupBy } from '@receipts/concurrency';
import { deadlineSignal, isDuplicateKey, toUnavailableError, writeErrorsByIndex } from '@receipts/storage';
import type { PacketKeys, PacketDocument } from './packet-document';

/** `again`: the same packet already exists. `taken`: these packets have one of its keys. */
export type InsertOutcome = 'stored' | 'again' | { readonly taken: readonly PacketKeys[] };

interface Insert {
  readonly document: PacketDocument;
  readonly deadline: number;
  readonly resolve: (outcome: InsertOutcome) => void;
  readonly reject: (error: unknown) => void;
}

const batchLimits = { itemsMax: 256, bytesMax: 8 * 1024 * 1024 };
/** While one write is being committed, the next write is already sent. */
const writesAtOnce = 2;

const isTaken = (fault: unknown): boolean => isDuplicateKey(fault) && !isDuplicateKey(fault, '_id_');

function sharesKey(found: PacketKeys, { retailer, keys = [] }: PacketKeys): boolean {
  return found.retailer === retailer && keys.some((key) => found.keys?.includes(key));
}

/** Writes concurrent packets with one command. */
export class PacketInserts {
  private readonly waiting: Insert[] = [];
  private readonly scheduler = new BatchScheduler<Insert>({
    waitingCount: () => this.waiting.length,
    take: () =>
      this.waiting.splice(
        0,
        countThatFits(this.waiting, batchLimits, ({ document }) => document.size),
      ),
    run: (inserts) => this.write(inserts),
    concurrency: writesAtOnce,
  });

  constructor(private readonly collection: Pick<Collection<PacketDocument>, 'insertMany' | 'find'>) {}

  /** @throws the database's error if the outcome is unknown. */
  insert(document: PacketDocument, { deadline }: { readonly deadline: number }): Promise<InsertOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ document, deadline, resolve, reject });
      this.scheduler.schedule();
    });
  }

  private async write(inserts: readonly Insert[]): Promise<void> {
    const documents = inserts.map(({ document }) => document);
    try {
      await this.collection.insertMany(documents, { ordered: false, signal: deadlineSignal(inserts) });
      for (const { resolve } of inserts) resolve('stored');
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (faults) return this.settle(inserts, faults);
      // A packet that cannot be written must not prevent the others from being written.
      if (inserts.length > 1 && !toUnavailableError(error)) {
        for (const insert of inserts) await this.write([insert]);
        return;
      }
      for (const { reject } of inserts) reject(error);
    }
  }

  private async settle(inserts: readonly Insert[], faults: ReadonlyMap<number, unknown>): Promise<void> {
    const refused = inserts.filter((_, index) => isTaken(faults.get(index)));
    try {
      const earlier = await this.findEarlier(
        refused.map(({ document }) => document),
        deadlineSignal(refused),
      );
      inserts.forEach(({ document, resolve, reject }, index) => {
        const fault = faults.get(index);
        if (fault === undefined) resolve('stored');
        else if (!isDuplicateKey(fault)) reject(fault);
        else if (!isTaken(fault)) resolve('again');
        else resolve({ taken: earlier.filter((found) => sharesKey(found, document)) });
      });
    } catch (error) {
      for (const { reject } of inserts) reject(error);
    }
  }

  /**
   * The stored packets that share a key with these: one query per retailer, regardless of the number of retries.
   */
  async findEarlier(all: readonly PacketKeys[], signal: AbortSignal): Promise<PacketKeys[]> {
    const found: PacketKeys[] = [];
    for (const [retailer, group] of groupBy(all, (packet) => packet.retailer)) {
      const wanted = new Set(group.flatMap(({ keys = [] }) => keys));
      const projection = { receiptId: 1, retailer: 1, keys: 1, fingerprint: 1, requests: 1, status: 1 };
      const options = { projection, signal };
      const filter = { retailer, keys: { $in: [...wanted] } };
      found.push(...(await this.collection.find<PacketKeys>(filter, options).toArray()));
    }
    return found;
  }
}
