import { MongoError } from '../errors';
import { T } from '../bson/types';
import { DocumentWriter } from '../bson/write';
import type { Progress } from '../plan/progress';

/** Yields documents for a client; undefined means that the slice is over. */
export type Results = Generator<Buffer | undefined, void, void>;

interface Cursor {
  readonly namespace: string;
  readonly results: Results;
  readonly progress: Progress;
  /** Documents that were read but did not fit into the last batch. */
  readonly pending: Buffer[];
  usedAt: number;
  /** What is left of maxTimeMS. */
  msLeft: number;
  busy: boolean;
}

/** MongoDB drops cursors that nobody asked for ten minutes. */
export const CURSOR_IDLE_MS = 10 * 60_000;
const CURSORS_MAX = 10_000;
const FIRST_BATCH_DOCUMENTS = 101;
const BATCH_BYTES_MAX = 16 * 1024 * 1024;

/** Runs a generator in slices: others get their turn whenever it yields undefined. */
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

/** The open cursors, and the answers that carry their batches. */
export class Cursors {
  private readonly cursors = new Map<bigint, Cursor>();
  private lastId = BigInt(Math.floor(Math.random() * 2 ** 40)) << 8n;

  /** `countMax` bounds the cursors that are open at once. */
  constructor(private readonly countMax = CURSORS_MAX) {}

  get size(): number {
    return this.cursors.size;
  }

  /** Answers a query with its first batch, and keeps a cursor when there is more. */
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
      usedAt: Date.now(),
      msLeft: Infinity,
      busy: true,
    };
    const { docs, done } = await fillBatch(cursor, batchSize ?? FIRST_BATCH_DOCUMENTS);
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
    // The map is in the order of the last use.
    this.cursors.delete(id);
    this.cursors.set(id, cursor);
    try {
      // The time limit of the query holds for all its batches together; the time between them does not count.
      cursor.progress.allow(deadline === Infinity ? cursor.msLeft : deadline - performance.now());
      cursor.progress.resume();
      const { docs, done } = await fillBatch(
        cursor,
        batchSize === undefined || batchSize === 0 ? Infinity : batchSize,
      );
      if (done) this.cursors.delete(id);
      return cursorReply('nextBatch', docs, done ? 0n : id, namespace);
    } catch (e) {
      this.cursors.delete(id);
      throw e;
    } finally {
      cursor.busy = false;
      cursor.msLeft = cursor.progress.msLeft;
      cursor.usedAt = Date.now();
    }
  }

  kill(id: bigint): boolean {
    return this.cursors.delete(id);
  }

  /** Whoever comes back to it learns that the cursor is gone, and asks again; a client that forgets cursors locks nobody out. */
  private dropOldest(): void {
    for (const [id, c] of this.cursors) {
      if (c.busy) continue;
      this.cursors.delete(id);
      return;
    }
    throw new MongoError(8, `more than ${this.countMax} cursors at work`);
  }

  dropIdle(now: number): void {
    for (const [id, c] of this.cursors)
      if (!c.busy && now - c.usedAt > CURSOR_IDLE_MS) this.cursors.delete(id);
  }
}

async function fillBatch(c: Cursor, most: number): Promise<{ docs: Buffer[]; done: boolean }> {
  const docs: Buffer[] = [];
  let bytes = 0;
  const take = (doc: Buffer): boolean => {
    if (docs.length >= most || (docs.length > 0 && bytes + doc.length > BATCH_BYTES_MAX)) {
      c.pending.push(doc);
      return false;
    }
    docs.push(doc);
    bytes += doc.length;
    return true;
  };
  try {
    while (c.pending.length > 0) if (!take(c.pending.shift()!)) return { docs, done: false };
    if (most === 0) return { docs, done: false };
    for (;;) {
      const step = c.results.next();
      if (step.done === true) return { docs, done: true };
      if (step.value === undefined) await c.progress.giveWay();
      else if (!take(step.value)) return { docs, done: false };
    }
  } finally {
    c.progress.pause();
  }
}

/** `{cursor: {<field>: docs, id, ns}, ok: 1}`; the documents are copied as they are. */
export function cursorReply(
  fieldName: string,
  docs: readonly Buffer[],
  id: bigint,
  namespace: string,
): Buffer {
  const w = new DocumentWriter(docs.reduce((n, d) => n + d.length + 12, 256));
  w.open('cursor').openArray(fieldName);
  docs.forEach((d, i) => w.element(T.OBJECT, String(i), d));
  w.close().long('id', id).string('ns', namespace).close();
  return w.double('ok', 1).finish();
}
