import { choosePlanInSlices } from '../plan/choose';
import { execute } from '../plan/execute';
import type { IndexScan } from '../plan/index-scan';
import { countRange } from '../plan/key-stream';
import { unlimited, type Plan, type Query } from '../plan/plan';
import type { Progress } from '../plan/progress';
import { RecordSet } from '../plan/record-set';
import { scanRecords } from '../plan/scan-records';
import { conjunctsOf } from '../plan/conditions';
import { parseOptionalFilter } from '../query/parse';
import { encode } from '../bson/write';
import type { Command } from './command';
import { inSlices } from './cursors';
import { progressOf, type Engine } from './engine';

export async function count(command: Command, engine: Engine): Promise<Buffer> {
  const query = { ...unlimited, filter: parseOptionalFilter(command.get('query'), 'query') };
  const n = await countMatches(engine, command.namespace, query, progressOf(command, engine));
  return encode({ n, ok: 1 });
}

/** The number of matching documents after skip and limit. */
export async function countMatches(
  engine: Engine,
  namespace: string,
  query: Query,
  progress: Progress,
): Promise<number> {
  const collection = engine.catalog.get(namespace);
  if (collection === undefined) return 0;
  const window = (n: number): number => Math.max(0, Math.min(n - query.skip, query.limit || Infinity));
  if (conjunctsOf(query.filter).length === 0 && query.hint === undefined) return window(collection.count);
  const plan = await choosePlanInSlices(
    engine.environment,
    collection,
    { ...query, limit: 0, skip: 0 },
    progress,
  );
  let n = 0;
  try {
    for await (const some of inSlices(countSteps(engine, plan, progress), progress)) {
      n += some;
      if (query.limit > 0 && n >= query.skip + query.limit) break;
    }
  } finally {
    progress.pause();
  }
  return window(n);
}

/** The index scans that cover the whole filter. Their keys are counted without reading documents. */
export function countsByKeys({ source }: Plan): readonly IndexScan[] | undefined {
  if (source.kind === 'index') return source.scan.exact ? [source.scan] : undefined;
  if (source.kind !== 'or' || source.branches.some(({ scan }) => !scan.exact)) return undefined;
  return source.branches.map(({ scan }) => scan);
}

function* countSteps(
  engine: Engine,
  plan: Plan,
  progress: Progress,
): Generator<number | undefined, void, void> {
  const scans = countsByKeys(plan);
  if (scans === undefined) {
    for (const hit of execute(engine.environment, plan, progress)) yield hit && 1;
  } else if (scans.length > 1 || scans.some(({ repeats }) => repeats)) {
    yield* countRecords(engine, scans, progress);
  } else {
    for (const { ranges } of scans.flatMap(({ chains }) => chains)) {
      for (const range of ranges) {
        for (const n of countRange(engine.environment, range)) {
          progress.counters.keys += n;
          yield n;
          if (progress.isOver()) yield undefined;
        }
      }
    }
  }
}

/** Counts each record once, although several keys may refer to it. */
function* countRecords(
  engine: Engine,
  scans: readonly IndexScan[],
  progress: Progress,
): Generator<number | undefined, void, void> {
  const seen = new RecordSet();
  for (const scan of scans) {
    for (const record of scanRecords(engine.environment, { ...scan, merge: false }, progress)) {
      if (record === undefined) yield undefined;
      else if (seen.add(record)) yield 1;
    }
  }
}
