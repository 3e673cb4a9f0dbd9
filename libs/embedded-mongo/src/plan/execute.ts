import { documentOf } from '../bson/value';
import { MongoError } from '../errors';
import type { Matcher } from '../query/match';
import { sortKey, type Sort } from '../query/sort';
import type { Collection } from '../store/collection';
import { documentKey, recordMax, recordSize, type Environment } from '../store/environment';
import { KeyStream } from './key-stream';
import type { Branch, Plan } from './plan';
import type { Progress } from './progress';
import { RecordSet } from './record-set';
import { scanRecords } from './scan-records';

/** A document that was found. */
export interface Hit {
  readonly record: number;
  readonly raw: Buffer;
}

/** Yields the documents found. Undefined marks the end of a time slice, after which other work should run. */
export type Hits = Generator<Hit | undefined, void, void>;

/** MongoDB's limit for sorting in memory. Only sort keys and record numbers are kept. */
const sortBytesMax = 100 * 1024 * 1024;
const sortEntryBytes = 64;

/** Executes a plan: the matching documents in sort order, after `skip` and up to `limit` (0 means all). */
export function* execute(environment: Environment, plan: Plan, progress: Progress): Hits {
  const { collection, blockingSort, skip, limit } = plan;
  if (collection === undefined) return;
  const execution = new Execution(environment, collection, progress);
  const most = limit === 0 ? 0 : skip + limit;
  let n = 0;
  for (const hit of blockingSort ? execution.sorted(plan, blockingSort, most) : execution.found(plan)) {
    if (hit === undefined) yield undefined;
    else if (n++ >= skip) {
      yield hit;
      if (n === most) return;
    }
  }
}

class Execution {
  constructor(
    private readonly environment: Environment,
    private readonly collection: Collection,
    private readonly progress: Progress,
  ) {}

  found({ source, matches }: Plan): Hits {
    switch (source.kind) {
      case 'collection':
        return this.wholeCollection(matches);
      case 'index':
        return this.fromIndex({ scan: source.scan, matches });
      case 'or':
        return source.merge === undefined
          ? this.oneAfterOther(source.branches)
          : this.mergedBySort(source.branches, source.merge);
      case 'id':
        return this.byId(source.key, matches);
    }
  }

  /**
   * Collects sort keys and record numbers, keeps the first `most` (0 means all), and then reads those documents again
   * in order.
   */
  *sorted(plan: Plan, sort: Sort, most: number): Hits {
    let entries: Entry[] = [];
    let bytes = 0;
    for (const hit of this.found(plan)) {
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
      if (bytes > sortBytesMax)
        throw new MongoError(292, `Executor error: Sort exceeded memory limit of ${sortBytesMax} bytes`);
    }
    entries.sort(byKey);
    if (most > 0) entries.length = Math.min(entries.length, most);
    for (const { record } of entries) {
      if (this.collection.dropped) throw this.killed();
      const raw = this.environment.document(this.collection, record);
      if (raw !== undefined) yield { record, raw };
      if (this.progress.spent()) yield undefined;
    }
  }

  private *byId(key: Buffer, matches: Matcher | undefined): Hits {
    this.progress.counters.keys++;
    const owner = this.environment.indexes.get(key);
    const hit = owner && this.read(owner.readUIntBE(0, recordSize), matches);
    if (hit !== undefined) yield hit;
  }

  private read(record: number, matches: Matcher | undefined): Hit | undefined {
    const raw = this.environment.document(this.collection, record);
    if (raw === undefined) return undefined;
    this.progress.counters.documents++;
    return matches === undefined || matches(documentOf(raw)) ? { record, raw } : undefined;
  }

  /** Reads the documents in insertion order, or backwards. */
  private *wholeCollection(matches: Matcher | undefined): Hits {
    const { environment, collection, progress } = this;
    const all = { low: documentKey(collection.id, 0), high: documentKey(collection.id, recordMax) };
    const stream = new KeyStream(environment, undefined, [all], environment.readsBackwards, progress);
    for (;;) {
      if (collection.dropped) throw this.killed();
      if (!stream.next()) return;
      const { record, key, value } = stream;
      const raw = environment.opened(collection, key, value);
      if (matches === undefined || matches(documentOf(raw))) yield { record, raw };
      if (this.isSliceOver(matches)) yield undefined;
    }
  }

  private *fromIndex({ scan, matches }: Branch): Hits {
    const seen = scan.repeats ? new RecordSet() : undefined;
    for (const record of scanRecords(this.environment, scan, this.progress)) {
      if (record !== undefined && seen?.add(record) !== false) {
        if (this.collection.dropped || !scan.index.ready) throw this.killed();
        const hit = this.read(record, matches);
        if (hit !== undefined) yield hit;
      }
      if (record === undefined || this.isSliceOver(matches)) yield undefined;
    }
  }

  private *oneAfterOther(branches: readonly Branch[]): Hits {
    const seen = new RecordSet();
    for (const branch of branches) {
      for (const hit of this.fromIndex(branch)) if (hit === undefined || seen.add(hit.record)) yield hit;
    }
  }

  /** Each branch returns its documents in sort order; they are merged by their sort keys. */
  private *mergedBySort(branches: readonly Branch[], sort: Sort): Hits {
    const seen = new RecordSet();
    let heads: Head[] = [];
    for (const branch of branches) heads.push(...(yield* nextHead(this.fromIndex(branch), sort)));
    while (heads.length > 0) {
      const least = heads.reduce((a, b) => (a.key.compare(b.key) <= 0 ? a : b));
      if (seen.add(least.hit.record)) yield least.hit;
      const [next] = yield* nextHead(least.hits, sort);
      heads = heads.flatMap((head) => (head !== least ? [head] : next ? [next] : []));
    }
  }

  /** Filtering a single large document may take a long time, so the clock is read after each document. */
  private isSliceOver(matches: Matcher | undefined): boolean {
    return matches === undefined ? this.progress.spent() : this.progress.isOver();
  }

  private killed(): MongoError {
    const { namespace } = this.collection;
    return new MongoError(175, `the collection or an index of ${namespace} was dropped while being read`);
  }
}

/** The first document that a branch has not returned yet. */
interface Head {
  readonly hits: Hits;
  readonly hit: Hit;
  readonly key: Buffer;
}

/** The next document of a branch; empty at its end. */
function* nextHead(hits: Hits, sort: Sort): Generator<undefined, Head[], void> {
  for (let step = hits.next(); step.done !== true; step = hits.next()) {
    if (step.value !== undefined)
      return [{ hits, hit: step.value, key: sortKey(sort, documentOf(step.value.raw)) }];
    yield undefined;
  }
  return [];
}

interface Entry {
  readonly key: Buffer;
  readonly record: number;
}

const byKey = (a: Entry, b: Entry): number => a.key.compare(b.key) || a.record - b.record;
