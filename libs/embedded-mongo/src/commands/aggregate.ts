import { MongoError, badValue, typeMismatch } from '../errors';
import { int } from '../bson/make';
import { isNumber, numberOf } from '../bson/number';
import { BsonType, typeName } from '../bson/types';
import { objectOf } from '../bson/write';
import { bytesOf, documentOf, elementsOf, fieldsOf, stringOf, type BsonValue } from '../bson/value';
import { choosePlanInSlices } from '../plan/choose';
import { execute } from '../plan/execute';
import type { Plan, Query } from '../plan/plan';
import type { Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import { matchAll, type Node } from '../query/node';
import { parseOptionalFilter } from '../query/parse';
import { parseProjection } from '../query/projection';
import { parseSort, sortKey } from '../query/sort';
import { Options, type Command } from './command';
import { countMatches } from './count';
import type { Results } from './cursors';
import { progressOf, type Engine } from './engine';
import { Grouping, countedGroup, parseGroup, type GroupSpec } from './group';

export const aggregateFields = new Set([
  'aggregate',
  'pipeline',
  'cursor',
  'explain',
  'hint',
  'collation',
  'allowDiskUse',
  'bypassDocumentValidation',
  'let',
]);

/** The documents that pass through a pipeline. Undefined marks the end of a time slice. */
type Flow = Generator<BsonValue | undefined, void, void>;
type Stage = (flow: Flow, engine: Engine) => Flow;

export interface AggregateRequest {
  /** The leading $match, $sort, $skip and $limit stages, which the query plan serves. */
  readonly query: Query;
  readonly stages: readonly Stage[];
  /** Computes the result from the number of documents if the rest of the pipeline only counts them. */
  readonly counting: ((n: number) => BsonValue | undefined) | undefined;
}

export function parseAggregate(command: Command): AggregateRequest {
  command.checkCollation();
  if (command.boolean('explain', false))
    throw badValue("this server takes the command explain, not aggregate's option");
  if (command.has('let')) throw badValue("this server knows no variables ('let')");
  const pipeline = command.array('pipeline');
  if (pipeline === undefined)
    throw new MongoError(40414, "BSON field 'aggregate.pipeline' is missing but a required field");
  const parts = elementsOf(pipeline).map((stage) => {
    const fields = stage.type === BsonType.object ? fieldsOf(stage) : [];
    if (fields.length !== 1) {
      throw new MongoError(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
    return fields[0]!;
  });
  // Every stage is parsed before anything runs, so that an error in a later stage is reported whatever the data.
  const compiled = parts.map(([name, v]) => compileStage(name, v));
  let taken = 0;
  const filters: Node[] = [];
  while (parts[taken]?.[0] === '$match') filters.push(parseOptionalFilter(parts[taken++]![1], '$match'));
  const sort = parts[taken]?.[0] === '$sort' ? parseSort(parts[taken++]![1]) : undefined;
  const skip = parts[taken]?.[0] === '$skip' ? wholeNumber('$skip', parts[taken++]![1], 0) : 0;
  const limit = parts[taken]?.[0] === '$limit' ? wholeNumber('$limit', parts[taken++]![1], 1) : 0;
  const filter: Node =
    filters.length === 0 ? matchAll : filters.length === 1 ? filters[0]! : { kind: 'and', nodes: filters };
  return {
    query: { filter, sort, skip, limit, hint: command.hint() },
    stages: compiled.slice(taken),
    counting: countingOf(parts.slice(taken)),
  };
}

function countingOf(rest: readonly (readonly [string, BsonValue])[]): AggregateRequest['counting'] {
  if (rest.length !== 1) return undefined;
  const [name, v] = rest[0]!;
  if (name === '$count') return (n) => (n === 0 ? undefined : objectOf([[countName(v), int(n)]]));
  if (name !== '$group') return undefined;
  const spec = parseGroup(v);
  if (countedGroup(spec, 1) === undefined) return undefined;
  return (n) => (n === 0 ? undefined : countedGroup(spec, n));
}

function compileStage(name: string, v: BsonValue): Stage {
  switch (name) {
    case '$match': {
      if (v.type !== BsonType.object)
        throw new MongoError(15959, 'the match filter must be an expression in an object');
      const matches = compileFilter(parseOptionalFilter(v, '$match'));
      return (flow) => filtered(flow, matches);
    }
    case '$sort': {
      if (v.type !== BsonType.object)
        throw new MongoError(15973, 'the $sort key specification must be an object');
      const sort = parseSort(v);
      if (sort === undefined) throw new MongoError(15976, '$sort stage must have at least one sort key');
      return (flow) => sortedFlow(flow, (doc) => sortKey(sort, doc));
    }
    case '$skip': {
      const n = wholeNumber(name, v, 0);
      return (flow) => skipped(flow, n);
    }
    case '$limit': {
      const n = wholeNumber(name, v, 1);
      return (flow) => limited(flow, n);
    }
    case '$project': {
      if (v.type !== BsonType.object) throw new MongoError(15969, '$project specification must be an object');
      const project = parseProjection(v);
      if (project === undefined)
        throw new MongoError(
          51272,
          'Invalid $project :: caused by :: projection specification must have at least one field',
        );
      return (flow) => mapped(flow, project);
    }
    case '$count': {
      const field = countName(v);
      return (flow) => counted(flow, field);
    }
    case '$group': {
      const spec = parseGroup(v);
      return (flow, engine) => grouped(flow, spec, engine.now());
    }
    default:
      throw new MongoError(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
}

function wholeNumber(name: string, v: BsonValue, least: number): number {
  const n = isNumber(v) ? numberOf(v) : NaN;
  if (!Number.isInteger(n)) throw typeMismatch(`invalid argument to ${name} stage: Expected an integer`);
  if (n < least) {
    if (name === '$limit') throw new MongoError(15958, 'the limit must be positive');
    throw new MongoError(15956, 'Argument to $skip cannot be negative');
  }
  return n;
}

function countName(v: BsonValue): string {
  const name = v.type === BsonType.string ? stringOf(v) : '';
  if (v.type !== BsonType.string || name === '')
    throw new MongoError(40156, 'the count field must be a non-empty string');
  if (name.startsWith('$')) throw new MongoError(40158, 'the count field cannot be a $-prefixed path');
  if (name.includes('.')) throw new MongoError(40160, "the count field cannot contain '.'");
  return name;
}

function* filtered(flow: Flow, matches: (doc: BsonValue) => boolean): Flow {
  for (const doc of flow) if (doc === undefined || matches(doc)) yield doc;
}

function* mapped(flow: Flow, map: (doc: BsonValue) => BsonValue): Flow {
  for (const doc of flow) yield doc && map(doc);
}

function* skipped(flow: Flow, n: number): Flow {
  let seen = 0;
  for (const doc of flow) if (doc === undefined || seen++ >= n) yield doc;
}

function* limited(flow: Flow, n: number): Flow {
  let seen = 0;
  for (const doc of flow) {
    yield doc;
    if (doc !== undefined && ++seen >= n) return;
  }
}

const sortedBytesMax = 100 * 1024 * 1024;

function* sortedFlow(flow: Flow, keyOf: (doc: BsonValue) => Buffer): Flow {
  const all: { key: Buffer; doc: BsonValue }[] = [];
  let bytes = 0;
  for (const doc of flow) {
    if (doc === undefined) {
      yield undefined;
      continue;
    }
    all.push({ key: keyOf(doc), doc });
    bytes += doc.end - doc.start;
    if (bytes > sortedBytesMax)
      throw new MongoError(292, `Sort exceeded memory limit of ${sortedBytesMax} bytes`);
  }
  all.sort((a, b) => a.key.compare(b.key));
  for (const { doc } of all) yield doc;
}

function* counted(flow: Flow, field: string): Flow {
  let n = 0;
  for (const doc of flow) {
    if (doc === undefined) yield undefined;
    else n++;
  }
  if (n > 0) yield objectOf([[field, int(n)]]);
}

function* grouped(flow: Flow, spec: GroupSpec, now: number): Flow {
  const grouping = new Grouping(spec, now);
  for (const doc of flow) {
    if (doc === undefined) yield undefined;
    else grouping.add(doc);
  }
  yield* grouping.results();
}

export async function aggregate(command: Command, engine: Engine): Promise<Buffer> {
  if (command.get('aggregate')?.type !== BsonType.string) {
    throw new MongoError(
      73,
      `Invalid command format: the 'aggregate' field must be a collection name, not ${typeName(command.get('aggregate')?.type ?? 0)}`,
    );
  }
  const { namespace } = command;
  const request = parseAggregate(command);
  const progress = progressOf(command, engine);
  const cursor = command.document('cursor');
  const batchSize = cursor && new Options('aggregate.cursor', cursor).number('batchSize');
  if (request.counting !== undefined) {
    const n = await countMatches(engine, namespace, { ...request.query, sort: undefined }, progress);
    return engine.cursors.first(namespace, oneDocument(request.counting(n)), progress, batchSize, false);
  }
  const plan = await choosePlanInSlices(
    engine.environment,
    engine.catalog.get(namespace),
    request.query,
    progress,
  );
  let flow = source(engine, plan, request.query, progress);
  for (const stage of request.stages) flow = stage(flow, engine);
  return engine.cursors.first(namespace, asBytes(flow), progress, batchSize, false);
}

function* oneDocument(doc: BsonValue | undefined): Results {
  if (doc !== undefined) yield bytesOf(doc);
}

function* source(engine: Engine, plan: Plan, q: Query, progress: Progress): Flow {
  for (const hit of execute(engine.environment, plan, progress, q.skip, q.limit))
    yield hit && documentOf(hit.raw);
}

function* asBytes(flow: Flow): Results {
  for (const doc of flow) yield doc && bytesOf(doc);
}
