import { MongoError } from '../errors';
import { double, long, string } from '../bson/make';
import { BsonType } from '../bson/types';
import { DocumentWriter } from '../bson/write';
import type { Progress } from '../plan/progress';

/** Yields documents for a client. Undefined marks the end of a time slice. */
export type Results = Generator<Buffer | undefined, void, void>;

interface Cursor {
  readonly namespace: string;
  readonly results: Results;
  readonly progress: Progress;
  /** Documents that were read but did not fit in the last batch. */
  readonly pending: Buffer[];
  /** The remaining part of maxTimeMS. */
  msLeft: number;
  busy: boolean;
}

const cursorsMax = 10_000;
const firstBatchDocuments = 101;
const batchBytesMax = 16 * 1024 * 1024;

/** Runs a generator in time slices. Whenever it yields undefined, other requests are served first. */
export async function* inSlices<T>(
  source: Iterator<T | undefined, void>,
  progress: Progress,
): AsyncGenerator<T> {
  for (;;) {
    const step = source.next();
    if (step.done === true) return;
    if (step.value !== undefined) yield step.value;
    else await progress.giveWay();
  }
}

/** The open cursors, and the replies with their batches. */
export class Cursors {
  private readonly cursors = new Map<bigint, Cursor>();
  private lastId = BigInt(Math.floor(Math.random() * 2 ** 40)) << 8n;

  /** @param countMax the maximum number of open cursors */
  constructor(private readonly countMax = cursorsMax) {}

  /** Replies to a query with its first batch. Keeps a cursor if there are more results. */
  async first(
    namespace: string,
    results: Results,
    progress: Progress,
    batchSize: number | undefined,
    single: boolean,
  ): Promise<Buffer> {
    const cursor: Cursor = {
      namespace,
      results,
      progress,
      pending: [],
      msLeft: Infinity,
      busy: true,
    };
    const { docs, done } = await fillBatch(cursor, batchSize ?? firstBatchDocuments);
    if (done || single) return cursorReply('firstBatch', docs, 0n, namespace);
    if (this.cursors.size >= this.countMax) this.dropOldest();
    const id = ++this.lastId;
    cursor.busy = false;
    cursor.msLeft = progress.msLeft;
    this.cursors.set(id, cursor);
    return cursorReply('firstBatch', docs, id, namespace);
  }

  async more(
    id: bigint,
    namespace: string,
    batchSize: number | undefined,
    deadline: number,
  ): Promise<Buffer> {
    const cursor = this.cursors.get(id);
    if (cursor === undefined) throw new MongoError(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new MongoError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    if (cursor.busy) throw new MongoError(201, `cursor id ${id} is already in use`);
    cursor.busy = true;
    // Keeps the map sorted by last use.
    this.cursors.delete(id);
    this.cursors.set(id, cursor);
    try {
      // maxTimeMS limits the total time of all batches. The time between batches does not count.
      cursor.progress.allow(deadline === Infinity ? cursor.msLeft : deadline - performance.now());
      cursor.progress.resume();
      const { docs, done } = await fillBatch(
        cursor,
        batchSize === undefined || batchSize === 0 ? Infinity : batchSize,
      );
      if (done) this.cursors.delete(id);
      return cursorReply('nextBatch', docs, done ? 0n : id, namespace);
    } catch (error) {
      this.cursors.delete(id);
      throw error;
    } finally {
      cursor.busy = false;
      cursor.msLeft = cursor.progress.msLeft;
    }
  }

  kill(id: bigint): boolean {
    return this.cursors.delete(id);
  }

  /**
   * Closes the least recently used idle cursor, so that a client that leaks cursors does not block others. The next
   * getMore of its owner fails with "cursor not found".
   */
  private dropOldest(): void {
    for (const [id, cursor] of this.cursors) {
      if (cursor.busy) continue;
      this.cursors.delete(id);
      return;
    }
    throw new MongoError(8, `more than ${this.countMax} cursors in use`);
  }
}

async function fillBatch(cursor: Cursor, most: number): Promise<{ docs: Buffer[]; done: boolean }> {
  const docs: Buffer[] = [];
  let bytes = 0;
  const take = (doc: Buffer): boolean => {
    if (docs.length >= most || (docs.length > 0 && bytes + doc.length > batchBytesMax)) {
      cursor.pending.push(doc);
      return false;
    }
    docs.push(doc);
    bytes += doc.length;
    return true;
  };
  try {
    while (cursor.pending.length > 0) if (!take(cursor.pending.shift()!)) return { docs, done: false };
    if (most === 0) return { docs, done: false };
    for (;;) {
      const step = cursor.results.next();
      if (step.done === true) return { docs, done: true };
      if (step.value === undefined) await cursor.progress.giveWay();
      else if (!take(step.value)) return { docs, done: false };
    }
  } finally {
    cursor.progress.pause();
  }
}

/** `{cursor: {<field>: docs, id, ns}, ok: 1}`. The documents are copied unchanged. */
export function cursorReply(
  fieldName: string,
  docs: readonly Buffer[],
  id: bigint,
  namespace: string,
): Buffer {
  const w = new DocumentWriter(docs.reduce((n, d) => n + d.length + 12, 256));
  w.open('cursor').openArray(fieldName);
  docs.forEach((d, i) => w.element(BsonType.object, String(i), d));
  w.close().value('id', long(id)).value('ns', string(namespace)).close();
  return w.value('ok', double(1)).finish();
}
