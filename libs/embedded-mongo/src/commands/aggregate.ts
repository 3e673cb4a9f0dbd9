import { MongoError, typeMismatch } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { BsonType } from '../bson/types';
import { bytesOf, documentOf, elementsOf, fieldsOf, type BsonValue } from '../bson/value';
import { choosePlanInSlices } from '../plan/choose';
import { execute } from '../plan/execute';
import type { Plan, Query } from '../plan/plan';
import type { Progress } from '../plan/progress';
import { parseOptionalFilter } from '../query/parse';
import { includes, pipelineStages } from '../supported';
import { Options, type Command } from './command';
import { countMatches } from './count';
import type { Results } from './cursors';
import { progressOf, type Engine } from './engine';
import { Grouping, countedGroup, parseGroup, type GroupSpec } from './group';

export interface AggregateRequest {
  /** The stages before $group, which are part of the query plan. */
  readonly query: Query;
  readonly group: GroupSpec;
  /** Whether the pipeline only counts documents. */
  readonly counts: boolean;
}

export function parseAggregate(command: Command): AggregateRequest {
  const stages = stagesOf(command);
  const match = stages.get('$match');
  if (match !== undefined && match.type !== BsonType.object)
    throw new MongoError(15959, 'the match filter must be an expression in an object');
  const query = {
    filter: parseOptionalFilter(match, '$match'),
    sort: undefined,
    skip: wholeNumber('$skip', stages.get('$skip'), 0),
    limit: wholeNumber('$limit', stages.get('$limit'), 1),
    hint: command.hint(),
  };
  if (!stages.has('$group'))
    throw new MongoError(40324, 'This server supports only pipelines that end in $group');
  const group = parseGroup(stages.get('$group')!);
  return { query, group, counts: countedGroup(group, 1) !== undefined };
}

/** The stages by name. Throws code 40324 for a stage that is not supported, or not in this position. */
function stagesOf(command: Command): ReadonlyMap<string, BsonValue> {
  const out = new Map<string, BsonValue>();
  let last = -1;
  command.required('pipeline');
  for (const stage of elementsOf(command.array('pipeline')!)) {
    const fields = stage.type === BsonType.object ? fieldsOf(stage) : [];
    if (fields.length !== 1)
      throw new MongoError(40323, 'A pipeline stage specification object must contain exactly one field.');
    const [name, argument] = fields[0]!;
    if (!includes(pipelineStages, name))
      throw new MongoError(40324, `Unrecognized pipeline stage name: '${name}'`);
    const at = pipelineStages.indexOf(name);
    if (at <= last)
      throw new MongoError(40324, `This server supports only ${pipelineStages.join(', ')} in this order`);
    last = at;
    out.set(name, argument);
  }
  return out;
}

function wholeNumber(name: string, v: BsonValue | undefined, least: number): number {
  if (v === undefined) return 0;
  const n = isNumber(v) ? numberOf(v) : NaN;
  if (!Number.isInteger(n)) throw typeMismatch(`invalid argument to ${name} stage: Expected an integer`);
  if (n >= least) return n;
  if (name === '$limit') throw new MongoError(15958, 'the limit must be positive');
  throw new MongoError(15956, 'Argument to $skip cannot be negative');
}

export async function aggregate(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  const { query, group, counts } = parseAggregate(command);
  const progress = progressOf(command, engine);
  const cursor = command.document('cursor');
  const batchSize = cursor && new Options('aggregate.cursor', cursor).number('batchSize');
  let results: Results;
  if (counts) {
    results = counted(group, await countMatches(engine, namespace, query, progress));
  } else {
    const { environment, catalog } = engine;
    const plan = await choosePlanInSlices(environment, catalog.get(namespace), query, progress);
    results = grouped(engine, plan, group, progress);
  }
  return engine.cursors.first(namespace, results, progress, batchSize, false);
}

function* counted(group: GroupSpec, n: number): Results {
  if (n > 0) yield bytesOf(countedGroup(group, n)!);
}

function* grouped(engine: Engine, plan: Plan, group: GroupSpec, progress: Progress): Results {
  const grouping = new Grouping(group);
  for (const hit of execute(engine.environment, plan, progress)) {
    if (hit === undefined) yield undefined;
    else grouping.add(documentOf(hit.raw));
  }
  for (const document of grouping.results()) yield bytesOf(document);
}
