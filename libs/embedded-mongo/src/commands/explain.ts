import { MongoError, badValue } from '../errors';
import { encode, fromJs, objectOf, type Plain } from '../bson/write';
import { fieldsOf, type BsonValue } from '../bson/value';
import { choosePlan } from '../plan/choose';
import { execute } from '../plan/execute';
import type { IndexScan } from '../plan/index-scan';
import type { Plan, Query } from '../plan/plan';
import { commandFields } from '../supported';
import { parseAggregate } from './aggregate';
import { Command } from './command';
import { countMatches, countsByKeys } from './count';
import { inSlices } from './cursors';
import { progressOf, type Engine } from './engine';
import { parseFind } from './find';

interface Explained {
  readonly query: Query;
  /** True if the command only counts the results of the query. */
  readonly counts: boolean;
}

type Stage = { readonly [name: string]: Plain };

const verbosities = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/** Describes how a find or aggregate would run. With executionStats it also runs the query. */
export async function explain(command: Command, engine: Engine): Promise<Buffer> {
  command.required('explain');
  const verbosity = command.string('verbosity') ?? 'allPlansExecution';
  if (!verbosities.includes(verbosity))
    throw badValue(`Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
  const inner = innerCommand(command.document('explain')!, command);
  const explained: Explained =
    inner.name === 'find' ? { ...parseFind(inner), counts: false } : parseAggregate(inner);
  const { query, counts } = explained;
  const collection = engine.catalog.get(inner.namespace);
  const plan = choosePlan(engine.environment, collection, counts ? { ...query, limit: 0, skip: 0 } : query);
  return encode({
    explainVersion: '1',
    queryPlanner: { namespace: inner.namespace, winningPlan: winningPlan(plan, counts), rejectedPlans: [] },
    executionStats: verbosity === 'queryPlanner' ? undefined : await run(engine, inner, plan, explained),
    ok: 1,
  });
}

function innerCommand(doc: BsonValue, { database, request, session }: Command): Command {
  const fields = fieldsOf(doc).filter(([name]) => name !== '$db');
  const name = fields[0]?.[0] ?? '';
  if (name !== 'find' && name !== 'aggregate')
    throw new MongoError(59, `Explain failed due to unknown command: ${name}`);
  const body = objectOf([...fields, ['$db', fromJs(database)]]);
  const inner = new Command(name, { ...request, body, sequences: new Map() }, session);
  inner.check(commandFields.get(name)!);
  return inner;
}

async function run(
  engine: Engine,
  command: Command,
  plan: Plan,
  { query, counts }: Explained,
): Promise<Plain> {
  const progress = progressOf(command, engine);
  let nReturned = 0;
  if (counts) {
    await countMatches(engine, command.namespace, query, progress);
    nReturned = 1;
  } else {
    try {
      for await (const _ of inSlices(execute(engine.environment, plan, progress), progress)) nReturned++;
    } finally {
      progress.pause();
    }
  }
  const { keys, documents } = progress.counters;
  return { executionSuccess: true, nReturned, totalKeysExamined: keys, totalDocsExamined: documents };
}

function winningPlan(plan: Plan, counts: boolean): Stage {
  const keysOnly = counts ? countsByKeys(plan) : undefined;
  if (keysOnly !== undefined) {
    const inputStages = keysOnly.map((scan): Stage => ({ ...scanStage(scan), stage: 'COUNT_SCAN' }));
    return { stage: 'OR', inputStages };
  }
  const source = sourceStage(plan);
  return plan.blockingSort ? { stage: 'SORT', inputStage: source } : source;
}

function sourceStage({ collection, source }: Plan): Stage {
  if (collection === undefined) return { stage: 'EOF' };
  switch (source.kind) {
    case 'id':
      return { stage: 'IDHACK', indexName: '_id_' };
    case 'collection':
      return { stage: 'COLLSCAN' };
    case 'index':
      return { stage: 'FETCH', inputStage: scanStage(source.scan) };
    case 'or': {
      const inputStages = source.branches.map((b) => scanStage(b.scan));
      return { stage: 'FETCH', inputStage: { stage: source.merge ? 'SORT_MERGE' : 'OR', inputStages } };
    }
  }
}

function scanStage({ index, backwards, merge }: IndexScan): Stage {
  const scan: Stage = {
    stage: 'IXSCAN',
    keyPattern: objectOf(index.spec.key.map(([name, direction]) => [name, fromJs(direction)])),
    indexName: index.name,
    isMultiKey: index.multikey,
    direction: backwards ? 'backward' : 'forward',
  };
  return merge ? { stage: 'SORT_MERGE', inputStage: scan } : scan;
}
