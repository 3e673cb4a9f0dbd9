import { MongoError } from '../errors';
import { objectOf, arrayOf, encode, fromJs, type Plain } from '../bson/write';
import { FieldReader, elementsOf, type BsonValue } from '../bson/value';
import { choosePlan } from '../plan/choose';
import { execute } from '../plan/execute';
import type { IndexScan } from '../plan/index-scan';
import type { Plan, Query } from '../plan/plan';

import { Command } from './command';
import { inSlices } from './cursors';
import { countMatches, countsByKeys, parseCount } from './count';
import { parseAggregate } from './aggregate';
import { progressOf, type Engine } from './engine';
import { parseFind } from './find';
import { parseDelete } from './delete';
import { parseStatement } from './update';

export const explainFields = new Set(['explain', 'verbosity']);

interface Explained {
  readonly query: Query;
  /** True if the command only counts the results of the query. */
  readonly counts: boolean;
  /** The stage above those of the query, such as UPDATE or COUNT. */
  readonly top: string | undefined;
}

/** Describes how a command would run. With executionStats it also runs the command's query, but writes nothing. */
export async function explain(command: Command, engine: Engine): Promise<Buffer> {
  const doc = command.document('explain');
  if (doc === undefined) throw new MongoError(9, 'explain takes a command');
  const verbosity = command.string('verbosity') ?? 'allPlansExecution';
  if (!['queryPlanner', 'executionStats', 'allPlansExecution'].includes(verbosity)) {
    throw new MongoError(
      2,
      `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`,
    );
  }
  const r = new FieldReader(doc);
  r.next();
  const inner = new Command(
    r.name,
    { ...command.request, body: withDatabase(doc, command.database), sequences: new Map() },
    command.session,
  );
  const e = read(inner);
  const collection = engine.catalog.get(inner.namespace);
  const empty =
    e.counts && e.query.filter.kind === 'and' && e.query.filter.nodes.length === 0 && !e.query.hint;
  const plan = choosePlan(
    engine.environment,
    collection,
    e.counts ? { ...e.query, limit: 0, skip: 0 } : e.query,
  );
  const winningPlan = empty ? ({ stage: 'RECORD_STORE_FAST_COUNT' } as Plain) : stages(plan, e);
  const answer: Record<string, Plain> = {
    explainVersion: '1',
    queryPlanner: { namespace: inner.namespace, indexFilterSet: false, winningPlan, rejectedPlans: [] },
  };
  if (verbosity !== 'queryPlanner') {
    answer.executionStats = await run(engine, inner, plan, e, winningPlan);
  }
  return encode({ ...answer, serverInfo: { version: '7.0.0' }, ok: 1 });
}

const withDatabase = (doc: BsonValue, database: string): BsonValue => {
  const fields: [string, BsonValue][] = [];
  const r = new FieldReader(doc);
  while (r.next()) if (r.name !== '$db') fields.push([r.name, r.value]);
  return objectOf([...fields, ['$db', fromJs(database)]]);
};

function read(command: Command): Explained {
  const one = (name: string): BsonValue => {
    const docs = elementsOf(command.array(name) ?? arrayOf([]));
    if (docs.length !== 1) throw new MongoError(72, 'explained write batches must be of size 1');
    return docs[0]!;
  };
  switch (command.name) {
    case 'find': {
      const { query, projection } = parseFind(command);
      return { query, counts: false, top: projection && 'PROJECTION_DEFAULT' };
    }
    case 'count':
      return { query: parseCount(command), counts: true, top: 'COUNT' };
    case 'aggregate': {
      const { query, counting, stages: rest } = parseAggregate(command);
      if (counting) return { query: { ...query, sort: undefined }, counts: true, top: 'GROUP' };
      return { query, counts: false, top: rest.length > 0 ? 'PIPELINE' : undefined };
    }
    case 'update':
      return { query: parseStatement(one('updates')).query, counts: false, top: 'UPDATE' };
    case 'delete':
      return { query: parseDelete(one('deletes')), counts: false, top: 'DELETE' };
    default:
      throw new MongoError(59, `Explain failed due to unknown command: ${command.name}`);
  }
}

async function run(
  engine: Engine,
  command: Command,
  plan: Plan,
  e: Explained,
  winningPlan: Plain,
): Promise<Plain> {
  const progress = progressOf(command, engine);
  const start = performance.now();
  let nReturned = 0;
  if (e.counts) {
    await countMatches(engine, command.namespace, e.query, progress);
    nReturned = 1;
  } else {
    try {
      const hits = execute(engine.environment, plan, progress, e.query.skip, e.query.limit);
      for await (const _ of inSlices(hits, progress)) nReturned++;
    } finally {
      progress.pause();
    }
  }
  return {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Math.round(performance.now() - start),
    totalKeysExamined: progress.counters.keys,
    totalDocsExamined: progress.counters.documents,
    executionStages: winningPlan,
  };
}

type Stage = { readonly [name: string]: Plain };

function stages(plan: Plan, e: Explained): Stage {
  const keysOnly = e.counts ? countsByKeys(plan) : undefined;
  let stage: Stage = keysOnly === undefined ? sourceStage(plan) : countStage(keysOnly);
  if (plan.blockingSort) {
    const sortPattern = objectOf(
      plan.blockingSort.fields.map((f) => [f.path.text, fromJs(f.descending ? -1 : 1)]),
    );
    stage = { stage: 'SORT', sortPattern, inputStage: stage };
  }
  if (!e.counts && e.query.skip > 0) stage = { stage: 'SKIP', skipAmount: e.query.skip, inputStage: stage };
  if (!e.counts && e.query.limit > 0 && e.top !== 'UPDATE' && e.top !== 'DELETE') {
    stage = { stage: 'LIMIT', limitAmount: e.query.limit, inputStage: stage };
  }
  return e.top === undefined ? stage : { stage: e.top, inputStage: stage };
}

function countStage(scans: readonly IndexScan[]): Stage {
  const stages = scans.map((scan): Stage => ({ ...scanStage(scan), stage: 'COUNT_SCAN' }));
  return stages.length === 1 ? stages[0]! : { stage: 'OR', inputStages: stages };
}

function sourceStage(plan: Plan): Stage {
  const { source } = plan;
  switch (source.kind) {
    case 'nothing':
      return { stage: 'EOF' };
    case 'id':
      return { stage: 'IDHACK', indexName: '_id_' };
    case 'collection':
      return { stage: 'COLLSCAN', direction: source.backwards ? 'backward' : 'forward' };
    case 'index':
      return { stage: 'FETCH', filtered: plan.matches !== undefined, inputStage: scanStage(source.scan) };
    case 'or': {
      const inputStages = source.branches.map((b) => scanStage(b.scan));
      return { stage: 'FETCH', inputStage: { stage: source.merge ? 'SORT_MERGE' : 'OR', inputStages } };
    }
  }
}

const boundsShownMax = 20;

function scanStage(scan: IndexScan): Stage {
  const { index } = scan;
  const one: Stage = {
    stage: 'IXSCAN',
    keyPattern: objectOf(index.spec.key.map(([name, direction]) => [name, fromJs(direction)])),
    indexName: index.name,
    isMultiKey: index.multikey,
    isUnique: index.unique,
    isSparse: index.spec.sparse,
    isPartial: index.partialFilter !== undefined,
    direction: scan.backwards ? 'backward' : 'forward',
    indexBounds: boundsOf(scan),
  };
  if (!scan.merge) return one;
  return { stage: 'SORT_MERGE', indexName: index.name, streams: scan.chains.length, inputStages: [one] };
}

/** Bounds are shown in the key encoding (hexadecimal), because the original values are not kept. */
function boundsOf(scan: IndexScan): Plain {
  const out: Record<string, Plain> = {};
  scan.index.fields.forEach((f, i) => {
    const intervals = scan.bounds[i];
    out[f.path.text] =
      intervals === undefined
        ? ['[MinKey, MaxKey]']
        : intervals
            .slice(0, boundsShownMax)
            .map(
              (x) =>
                `${x.lowInclusive ? '[' : '('}${x.low.toString('hex')}, ${x.high.toString('hex')}${x.highInclusive ? ']' : ')'}`,
            );
  });
  return out;
}
