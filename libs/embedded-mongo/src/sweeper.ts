import { date } from './bson/make';
import { documentOf } from './bson/value';
import { after } from './keys/key-writer';
import { pathOf } from './keys/path';
import { compileFilter } from './query/match';
import type { Node } from './query/node';
import { boundsOf } from './plan/bounds';
import { byteRange } from './plan/interval';
import { KeyStream } from './plan/key-stream';
import { Progress } from './plan/progress';
import type { Catalog } from './store/catalog';
import type { Collection, Index } from './store/collection';
import type { Documents } from './store/documents';
import { idBytes, type Environment } from './store/environment';
import { writeSliceMs, type Job } from './store/write-queue';

/** Deletes documents that have expired by a TTL index, in time slices. */
export function* deleteExpired(
  environment: Environment,
  catalog: Catalog,
  documents: Documents,
  now: number,
  stopped: () => boolean,
): Job<number> {
  let n = 0;
  for (const collection of [...catalog.all()]) {
    for (const index of collection.readyIndexes) {
      if (stopped()) return n;
      const seconds = index.spec.expireAfterSeconds;
      if (seconds !== undefined)
        n += yield* expireIndex(environment, documents, collection, index, now - seconds * 1000, stopped);
    }
  }
  return n;
}

/** An array of dates expires with its earliest date. Values other than dates never expire. */
function* expireIndex(
  environment: Environment,
  documents: Documents,
  collection: Collection,
  index: Index,
  limit: number,
  stopped: () => boolean,
): Job<number> {
  const test = { op: 'lte', value: date(limit) } as const;
  const node: Node = { kind: 'field', path: pathOf(index.spec.key[0]![0]), test };
  const matches = compileFilter(node);
  const range = byteRange(boundsOf(test)!.intervals[0]!, index.fields[0]!.descending);
  const ranges = [
    { low: Buffer.concat([index.prefix, range.low]), high: Buffer.concat([index.prefix, range.high]) },
  ];
  let n = 0;
  for (;;) {
    if (collection.dropped || !collection.indexes.includes(index)) return n;
    const progress = new Progress();
    const stream = new KeyStream(environment, index, ranges, false, progress);
    const records: number[] = [];
    while (records.length < batchDocumentsMax && stream.next()) records.push(stream.record);
    progress.pause();
    for (const record of records) {
      const raw = documents.read(collection, record);
      if (raw === undefined || !matches(documentOf(raw))) continue;
      documents.remove(collection, record, documentOf(raw));
      n++;
    }
    if (records.length < batchDocumentsMax) return n;
    yield;
    if (stopped()) return n;
  }
}

const batchDocumentsMax = 200;
const keysAtOnce = 500;

/** Deletes the data of dropped collections and indexes. */
export function* clearGarbage(environment: Environment, catalog: Catalog, stopped: () => boolean): Job<void> {
  for (const { key, kind, id } of catalog.garbage()) {
    const table = kind === 'documents' ? kind : 'indexes';
    const low = idBytes(id);
    let until = performance.now() + writeSliceMs;
    for (;;) {
      const keys = [...environment[table].getKeys({ start: low, end: after(low), limit: keysAtOnce })];
      for (const k of keys) environment.remove(table, k);
      if (keys.length < keysAtOnce) break;
      if (performance.now() > until) {
        yield;
        if (stopped()) return;
        until = performance.now() + writeSliceMs;
      }
    }
    environment.remove('catalog', key);
  }
}

/** Drops indexes whose build was interrupted. Their creation was never acknowledged. */
// oxlint-disable-next-line require-yield -- A job that is done in one slice.
export function* dropUnfinished(catalog: Catalog): Job<void> {
  for (const collection of catalog.all())
    for (const i of collection.indexes) if (!i.ready) catalog.dropIndex(collection, i);
}
