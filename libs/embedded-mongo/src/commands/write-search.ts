import { MongoError } from '../errors';
import { documentOf, type BsonValue } from '../bson/value';
import { choosePlan } from '../plan/choose';
import { execute, type Hit } from '../plan/execute';
import type { Query } from '../plan/plan';
import { type Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import type { Collection } from '../store/collection';
import type { Job } from '../store/write-queue';
import type { Engine } from './engine';

const searchesMax = 100;

/**
 * Finds the first document of a query within a write job. If the search needs several slices, other jobs may write in
 * between: the document is then read again, and the search repeated if it no longer matches. Throws code 112 after 100
 * attempts.
 */
export function* findOneToWrite(
  engine: Engine,
  namespace: string,
  query: Query,
  progress: Progress,
): Job<{ collection: Collection; hit: Hit } | undefined> {
  for (let n = 0; n < searchesMax; n++) {
    const collection = engine.catalog.get(namespace);
    if (collection === undefined) return undefined;
    progress.resume();
    const plan = choosePlan(engine.environment, collection, query);
    let sliced = false;
    let found: Hit | undefined;
    try {
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
    } finally {
      progress.pause();
    }
    if (found === undefined) return undefined;
    if (!sliced) return { collection, hit: found };
    const raw = engine.documents.read(collection, found.record);
    if (raw !== undefined && compileFilter(query.filter)(documentOf(raw))) {
      return { collection, hit: { record: found.record, raw } };
    }
  }
  throw new MongoError(112, 'Write conflict: other writers changed every document that this operation found');
}

/**
 * Calls `write` for every document of a query. All documents are found before the first is written, so that the query
 * does not find the results of its own writes. Each is read again and written only if it still matches.
 */
export function* eachToWrite(
  engine: Engine,
  namespace: string,
  query: Query,
  progress: Progress,
  write: (collection: Collection, record: number, doc: BsonValue) => void,
): Job<number> {
  const collection = engine.catalog.get(namespace);
  if (collection === undefined) return 0;
  progress.resume();
  const plan = choosePlan(engine.environment, collection, query);
  const records: number[] = [];
  try {
    for (const hit of execute(engine.environment, plan, progress, 0, 0)) {
      if (hit !== undefined) {
        records.push(hit.record);
        continue;
      }
      progress.pause();
      yield;
      progress.resume();
    }
  } finally {
    progress.pause();
  }
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
