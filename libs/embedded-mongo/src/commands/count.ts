import { MongoError } from '../errors';
import { choosePlan } from '../plan/choose';
import { execute } from '../plan/execute';
import type { IndexScan } from '../plan/index-scan';
import { countRange } from '../plan/key-stream';
import type { Plan, Query } from '../plan/plan';
import type { Progress } from '../plan/progress';
import { scanRecords } from '../plan/scan-records';
import { conjunctsOf } from '../plan/conditions';
import { parseOptionalFilter } from '../query/parse';
import { encode } from '../bson/write';
import type { Command } from './command';
import { inSlices } from './cursors';
import { progressOf, type Engine } from './engine';

export const COUNT_FIELDS = new Set(['count', 'query', 'skip', 'limit', 'hint', 'collation', 'fields']);

export function parseCount(c: Command): Query {
  c.checkCollation();
  const limit = c.number('limit') ?? 0;
  if (!Number.isInteger(limit)) throw new MongoError(9, `limit must be a whole number, got ${limit}`);
  return {
    filter: parseOptionalFilter(c.get('query'), 'query'),
    sort: undefined,
    skip: c.count('skip', 0),
    limit: Math.abs(limit),
    hint: c.hint(),
  };
}

export async function count(c: Command, engine: Engine): Promise<Buffer> {
  const query = parseCount(c);
  const n = await countMatches(engine, c.namespace, query, progressOf(c, engine));
  return encode({ n, ok: 1 });
}

/** The number of matching documents after skip and limit. */
export async function countMatches(
  engine: Engine,
  namespace: string,
  query: Query,
  progress: Progress,
): Promise<number> {
  const c = engine.catalog.get(namespace);
  if (c === undefined) return 0;
  const window = (n: number): number => Math.max(0, Math.min(n - query.skip, query.limit || Infinity));
  if (conjunctsOf(query.filter).length === 0 && query.hint === undefined) return window(c.count);
  const plan = choosePlan(engine.environment, c, { ...query, limit: 0, skip: 0 });
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

/** The scan of an index that answers the whole filter. Its keys are counted without reading documents. */
export function countsByKeys(plan: Plan): IndexScan | undefined {
  return plan.source.kind === 'index' && plan.source.scan.exact ? plan.source.scan : undefined;
}

function* countSteps(
  engine: Engine,
  plan: Plan,
  progress: Progress,
): Generator<number | undefined, void, void> {
  const scan = countsByKeys(plan);
  if (scan === undefined) {
    for (const hit of execute(engine.environment, plan, progress, 0, 0)) yield hit && 1;
    return;
  }
  if (scan.repeats) {
    const seen = new Set<number>();
    for (const record of scanRecords(engine.environment, { ...scan, merge: false }, progress)) {
      if (record === undefined) yield undefined;
      else if (!seen.has(record)) {
        seen.add(record);
        yield 1;
      }
    }
    return;
  }
  for (const { ranges } of scan.chains) {
    for (const range of ranges) {
      for (const n of countRange(engine.environment, range)) {
        progress.counters.keys += n;
        yield n;
        if (progress.isOver()) yield undefined;
      }
    }
  }
}
