import { documentOf, type Val } from '../bson/value';
import { choosePlan } from '../plan/choose';
import { execute, type Hit } from '../plan/execute';
import type { Query } from '../plan/plan';
import { Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import type { Collection } from '../store/collection';
import type { Job } from '../store/write-queue';
import type { Engine } from './engine';

const SEARCHES_MAX = 100;

/**
 * Finds the first document of a query inside a write transaction. A long search goes on over several transactions; what it
 * then finds is looked at again, and searched for again when another writer was faster.
 */
export function* findOneToWrite(
  engine: Engine,
  namespace: string,
  query: Query,
  progress: Progress,
): Job<{ collection: Collection; hit: Hit } | undefined> {
  const matches = compileFilter(query.filter);
  for (let n = 0; n < SEARCHES_MAX; n++) {
    const collection = engine.catalog.get(namespace);
    if (collection === undefined) return undefined;
    const plan = choosePlan(engine.environment, collection, query);
    let sliced = false;
    let found: Hit | undefined;
    for (const hit of execute(engine.environment, plan, progress, 0, 1)) {
      if (hit !== undefined) {
        found = hit;
        break;
      }
      sliced = true;
      progress.pause();
      yield;
      progress.resume();
    }
    progress.pause();
    if (found === undefined) return undefined;
    if (!sliced || matches(documentOf(found.raw))) return { collection, hit: found };
  }
  return undefined;
}

/**
 * Calls `write` for every document of a query: first all are found, then each is read again and written when it still
 * matches, so that a write never meets its own results.
 */
export function* eachToWrite(
  engine: Engine,
  namespace: string,
  query: Query,
  progress: Progress,
  write: (collection: Collection, record: number, doc: Val) => void,
): Job<number> {
  const collection = engine.catalog.get(namespace);
  if (collection === undefined) return 0;
  const plan = choosePlan(engine.environment, collection, query);
  const records: number[] = [];
  for (const hit of execute(engine.environment, plan, progress, 0, 0)) {
    if (hit !== undefined) {
      records.push(hit.record);
      continue;
    }
    progress.pause();
    yield;
    progress.resume();
  }
  progress.pause();
  const matches = compileFilter(query.filter);
  let n = 0;
  for (const record of records) {
    if (collection.dropped) break;
    const raw = engine.documents.read(collection, record);
    if (raw !== undefined && matches(documentOf(raw))) {
      write(collection, record, documentOf(raw));
      n++;
    }
    if (progress.spent()) {
      yield;
      progress.resume();
    }
  }
  return n;
}
