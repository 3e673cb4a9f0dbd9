import { MongoError } from '../errors';
import { documentOf, type BsonValue } from '../bson/value';
import { choosePlan } from '../plan/choose';
import { execute, type Hit } from '../plan/execute';
import type { Query } from '../plan/plan';
import { type Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import type { Collection } from '../store/collection';
import type { Job } from '../store/write-group';
import type { Engine } from './engine';

const searchesMax = 100;

/** Calls `found` for every document of a query. Returns true if other jobs may have written in between. */
function* search(
  engine: Engine,
  collection: Collection,
  query: Query,
  progress: Progress,
  found: (hit: Hit) => void,
): Job<boolean> {
  let isSliced = false;
  progress.resume();
  try {
    const plan = choosePlan(engine.environment, collection, query);
    for (const hit of execute(engine.environment, plan, progress)) {
      if (hit !== undefined) {
        found(hit);
        continue;
      }
      isSliced = true;
      progress.pause();
      yield;
      progress.resume();
    }
  } finally {
    progress.pause();
  }
  return isSliced;
}

/**
 * Finds the document of a query with limit 1 within a write job. If the search needs several slices, other jobs may
 * write in between. The document is then read again, and the search is repeated if the document no longer matches.
 * Throws code 112 after 100 attempts.
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
    const hits: Hit[] = [];
    const isSliced = yield* search(engine, collection, query, progress, (hit) => hits.push(hit));
    const [hit] = hits;
    if (hit === undefined) return undefined;
    if (!isSliced) return { collection, hit };
    const raw = engine.documents.read(collection, hit.record);
    if (raw !== undefined && compileFilter(query.filter)(documentOf(raw)))
      return { collection, hit: { record: hit.record, raw } };
  }
  throw new MongoError(112, 'Write conflict: other writers changed every document that this operation found');
}

/**
 * Calls `write` for every document of a query. All documents are found before the first is written, so that the query
 * does not find the results of its own writes. Each document is read again and written only if it still matches.
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
  const records: number[] = [];
  yield* search(engine, collection, query, progress, (hit) => records.push(hit.record));
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
