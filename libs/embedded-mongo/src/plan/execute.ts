import { documentOf } from '../bson/value';
import { sortKey, type Sort } from '../query/sort';
import { MongoError } from '../errors';
import type { Matcher } from '../query/match';
import type { Collection } from '../store/collection';
import { recordSize, type Environment } from '../store/environment';
import { DocumentStream } from './document-stream';
import type { Branch, Plan } from './plan';
import type { Progress } from './progress';
import { RecordSet } from './record-set';
import { scanRecords } from './scan-records';

/** A document that was found. */
export interface Hit {
  readonly record: number;
  readonly raw: Buffer;
}

/** Yields the documents found. Undefined marks the end of a time slice, after which others should run. */
export type Hits = Generator<Hit | undefined, void, void>;

/** MongoDB's limit for sorting in memory. Only sort keys and record numbers are kept. */
const sortBytesMax = 100 * 1024 * 1024;
const sortEntryBytes = 64;

/** Executes a plan: the matching documents in sort order, after `skip` and up to `limit` (0 means all). */
export function* execute(
  environment: Environment,
  plan: Plan,
  progress: Progress,
  skip: number,
  limit: number,
): Hits {
  const hits = plan.blockingSort
    ? sorted(environment, plan, progress, plan.blockingSort, limit === 0 ? 0 : skip + limit)
    : found(environment, plan, progress);
  let n = 0;
  for (const hit of hits) {
    if (hit === undefined) yield undefined;
    else if (n++ >= skip) {
      yield hit;
      if (limit !== 0 && n >= skip + limit) return;
    }
  }
}

function found(environment: Environment, plan: Plan, progress: Progress): Hits {
  const { collection: c, source, matches } = plan;
  switch (source.kind) {
    case 'collection':
      return wholeCollection(environment, c!, matches, progress);
    case 'index':
      return fromIndex(environment, c!, { scan: source.scan, matches }, progress);
    case 'or':
      return source.merge === undefined
        ? oneAfterOther(environment, c!, source.branches, progress)
        : mergedBySort(environment, c!, source.branches, source.merge, progress);
    case 'id':
      return byId(environment, c!, source.key, matches, progress);
    case 'nothing':
      return nothing();
  }
}

function* nothing(): Hits {}

function* byId(
  environment: Environment,
  collection: Collection,
  key: Buffer,
  matches: Matcher | undefined,
  progress: Progress,
): Hits {
  progress.counters.keys++;
  const owner = environment.indexes.get(key);
  if (owner === undefined) return;
  const record = owner.readUIntBE(0, recordSize);
  const raw = environment.document(collection, record);
  if (raw === undefined) return;
  progress.counters.documents++;
  if (matches === undefined || matches(documentOf(raw))) yield { record, raw };
}

/** Reads the documents in insertion order. */
function* wholeCollection(
  environment: Environment,
  collection: Collection,
  matches: Matcher | undefined,
  progress: Progress,
): Hits {
  const stream = new DocumentStream(environment, collection, progress);
  for (;;) {
    if (collection.dropped) throw killed(collection);
    if (!stream.next()) return;
    const { record, raw } = stream;
    if (matches === undefined || matches(documentOf(raw))) yield { record, raw };
    if (isSliceOver(matches, progress)) yield undefined;
  }
}

const killed = (collection: Collection): MongoError =>
  new MongoError(175, `the collection or an index of ${collection.namespace} was dropped while it was read`);

function* fromIndex(environment: Environment, collection: Collection, b: Branch, progress: Progress): Hits {
  const seen = b.scan.repeats ? new RecordSet() : undefined;
  for (const record of scanRecords(environment, b.scan, progress)) {
    if (record !== undefined && seen?.add(record) !== false) {
      if (collection.dropped || !b.scan.index.ready) throw killed(collection);
      const raw = environment.document(collection, record);
      if (raw !== undefined) {
        progress.counters.documents++;
        if (b.matches === undefined || b.matches(documentOf(raw))) yield { record, raw };
      }
    }
    if (record === undefined || isSliceOver(b.matches, progress)) yield undefined;
  }
}

/** Filtering a single large document may take long, so the clock is read after each document. */
const isSliceOver = (matches: Matcher | undefined, progress: Progress): boolean =>
  matches === undefined ? progress.spent() : progress.isOver();

function* oneAfterOther(
  environment: Environment,
  collection: Collection,
  branches: readonly Branch[],
  progress: Progress,
): Hits {
  const seen = new RecordSet();
  for (const b of branches) {
    for (const hit of fromIndex(environment, collection, b, progress)) {
      if (hit === undefined || seen.add(hit.record)) yield hit;
    }
  }
}

/** Each branch returns its documents in sort order; they are merged by their sort keys. */
function* mergedBySort(
  environment: Environment,
  collection: Collection,
  branches: readonly Branch[],
  sort: Sort,
  progress: Progress,
): Hits {
  const seen = new RecordSet();
  const streams = branches.map((b) => ({
    hits: fromIndex(environment, collection, b, progress),
    head: undefined as Hit | undefined,
    key: Buffer.alloc(0),
  }));
  let live = streams;
  for (const s of live) yield* fill(s, sort);
  for (;;) {
    live = live.filter((s) => s.head !== undefined);
    if (live.length === 0) return;
    const least = live.reduce((a, b) => (a.key.compare(b.key) <= 0 ? a : b));
    const hit = least.head!;
    if (seen.add(hit.record)) yield hit;
    yield* fill(least, sort);
  }
}

function* fill(
  s: { hits: Hits; head: Hit | undefined; key: Buffer },
  sort: Sort,
): Generator<undefined, void, void> {
  for (;;) {
    const step = s.hits.next();
    if (step.done === true) {
      s.head = undefined;
      return;
    }
    if (step.value !== undefined) {
      s.head = step.value;
      s.key = sortKey(sort, documentOf(step.value.raw));
      return;
    }
    yield undefined;
  }
}

interface Entry {
  readonly key: Buffer;
  readonly record: number;
}

const byKey = (a: Entry, b: Entry): number => a.key.compare(b.key) || a.record - b.record;

/**
 * Collects sort keys and record numbers, keeps the first `most` (0: all), and then reads those documents again in
 * order.
 */
function* sorted(environment: Environment, plan: Plan, progress: Progress, sort: Sort, most: number): Hits {
  let entries: Entry[] = [];
  let bytes = 0;
  for (const hit of found(environment, plan, progress)) {
    if (hit === undefined) {
      yield undefined;
      continue;
    }
    const key = sortKey(sort, documentOf(hit.raw));
    entries.push({ key, record: hit.record });
    bytes += key.length + sortEntryBytes;
    if (most > 0 && entries.length >= most * 2 + 1_000) {
      entries = entries.sort(byKey).slice(0, most);
      bytes = entries.reduce((n, e) => n + e.key.length + sortEntryBytes, 0);
    }
    if (bytes > sortBytesMax) {
      throw new MongoError(292, `Executor error: Sort exceeded memory limit of ${sortBytesMax} bytes`);
    }
  }
  entries.sort(byKey);
  if (most > 0) entries.length = Math.min(entries.length, most);
  const collection = plan.collection!;
  for (const { record } of entries) {
    if (collection.dropped) throw killed(collection);
    const raw = environment.document(collection, record);
    if (raw !== undefined) yield { record, raw };
    if (progress.spent()) yield undefined;
  }
}
