import type { Collection } from 'mongodb';
import { BatchScheduler, countThatFits, groupBy } from '@receipts/concurrency';
import { deadlineSignal, isDuplicateKey, toUnavailableError, writeErrorsByIndex } from '@receipts/storage';
import type { PacketKeys, PacketDocument } from './packet-document';

/**
 * `isPublished`: the packet is stored, and its first event is being published; true once the broker has confirmed it.
 * `again`: the same packet already exists. `taken`: these packets have one of its keys.
 */
export type InsertOutcome =
  | { readonly isPublished: Promise<boolean> }
  | 'again'
  | { readonly taken: readonly PacketKeys[] };

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

/**
 * Writes concurrent packets with one command. Their first events are published together too, because a message costs the
 * broker and each subscriber the same, whether it contains one event or many.
 */
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

  /** @param publish publishes the first events of these packets; true for each that the broker has confirmed */
  constructor(
    private readonly collection: Pick<Collection<PacketDocument>, 'insertMany' | 'find'>,
    private readonly publish: (documents: readonly PacketDocument[]) => Promise<readonly boolean[]>,
  ) {}

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
      this.stored(inserts);
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

  private stored(inserts: readonly Insert[]): void {
    if (inserts.length === 0) return;
    const published = this.publish(inserts.map(({ document }) => document));
    inserts.forEach(({ resolve }, i) =>
      resolve({ isPublished: published.then((areConfirmed) => areConfirmed[i] === true) }),
    );
  }

  private async settle(inserts: readonly Insert[], faults: ReadonlyMap<number, unknown>): Promise<void> {
    this.stored(inserts.filter((_, index) => !faults.has(index)));
    const refused = inserts.filter((_, index) => isTaken(faults.get(index)));
    try {
      const earlier = await this.findEarlier(
        refused.map(({ document }) => document),
        deadlineSignal(refused),
      );
      inserts.forEach(({ document, resolve, reject }, index) => {
        if (!faults.has(index)) return;
        const fault = faults.get(index);
        if (!isDuplicateKey(fault)) reject(fault);
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
