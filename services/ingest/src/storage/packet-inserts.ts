import type { Collection } from 'mongodb';
import { deadlineSignal, isDuplicateKey, toUnavailableError, writeErrorsByIndex } from '@receipts/storage';
import type { Lane, LanePlace, Lanes } from './lanes';
import type { Claims, PacketDocument } from './packet-document';

/** An earlier packet that has a key of this one. */
export type Earlier = Claims;

/** `again`: the same packet exists already. `taken`: these packets have a key of it. */
export type InsertOutcome =
  | { readonly stored: PacketDocument & LanePlace }
  | 'again'
  | { readonly taken: readonly Earlier[] };

interface Insert {
  readonly document: PacketDocument;
  readonly deadline: number;
  readonly resolve: (outcome: InsertOutcome) => void;
  readonly reject: (error: unknown) => void;
}

const insertsTogetherMax = 256;
const bytesTogetherMax = 8 * 1024 * 1024;
/** While one write is being committed, the next is sent. */
const writesAtOnce = 2;

const isTaken = (fault: unknown): boolean => isDuplicateKey(fault) && !isDuplicateKey(fault, '_id_');

function sharesKey(found: Earlier, { retailer, keys = [] }: Claims): boolean {
  return found.retailer === retailer && keys.some((key) => found.keys?.includes(key));
}

/** Writes packets that are inserted at the same time with one command. */
export class PacketInserts {
  private readonly waiting: Insert[] = [];
  private writing = 0;
  private isScheduled = false;

  /** @param unused called with places that were not used */
  constructor(
    private readonly collection: Pick<Collection<PacketDocument>, 'insertMany' | 'find'>,
    private readonly lanes: Pick<Lanes, 'take' | 'giveBack'>,
    private readonly unused: (places: readonly LanePlace[]) => void,
  ) {}

  /** @throws the database's error when the outcome is unknown. */
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
    let lane: Lane | undefined;
    let documents: readonly (PacketDocument & LanePlace)[] = [];
    try {
      const taken = (lane = await this.lanes.take());
      documents = inserts.map(({ document }) => ({ ...document, ...taken.next() }));
      await this.collection.insertMany([...documents], { ordered: false, signal: deadlineSignal(inserts) });
      this.lanes.giveBack(lane);
      inserts.forEach(({ resolve }, i) => resolve({ stored: documents[i] as PacketDocument & LanePlace }));
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (lane && faults) {
        this.lanes.giveBack(lane);
        return this.settle(inserts, documents, faults);
      }
      // A packet that cannot be written must not prevent the others from being written.
      if (inserts.length > 1 && !toUnavailableError(error)) {
        for (const insert of inserts) await this.write([insert]);
        return;
      }
      for (const { reject } of inserts) reject(error);
    }
  }

  private async settle(
    inserts: readonly Insert[],
    documents: readonly (PacketDocument & LanePlace)[],
    faults: ReadonlyMap<number, unknown>,
  ): Promise<void> {
    this.unused(
      documents.filter((_, index) => faults.has(index)).map(({ lane, number }) => ({ lane, number })),
    );
    const refused = inserts.filter((_, index) => isTaken(faults.get(index)));
    try {
      const earlier = await this.findEarlier(
        refused.map(({ document }) => document),
        deadlineSignal(refused),
      );
      inserts.forEach(({ document, resolve, reject }, index) => {
        const fault = faults.get(index);
        if (fault === undefined) resolve({ stored: documents[index] as PacketDocument & LanePlace });
        else if (!isDuplicateKey(fault)) reject(fault);
        else if (!isTaken(fault)) resolve('again');
        else resolve({ taken: earlier.filter((found) => sharesKey(found, document)) });
      });
    } catch (error) {
      for (const { reject } of inserts) reject(error);
    }
  }

  /** One query per retailer, however many of its packets are repetitions. */
  async findEarlier(all: readonly Claims[], signal: AbortSignal): Promise<Earlier[]> {
    const keys = new Map<string, Set<string>>();
    for (const claims of all) {
      const known = keys.get(claims.retailer) ?? new Set();
      for (const key of claims.keys ?? []) known.add(key);
      keys.set(claims.retailer, known);
    }
    const found: Earlier[] = [];
    for (const [retailer, wanted] of keys) {
      const projection = { retailer: 1, keys: 1, fingerprint: 1, requests: 1 };
      const options = { projection, signal };
      const filter = { retailer, keys: { $in: [...wanted] } };
      found.push(...(await this.collection.find<Earlier>(filter, options).toArray()));
    }
    return found;
  }
}
