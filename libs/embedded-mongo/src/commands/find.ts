import { MongoError } from '../errors';
import { longOf } from '../bson/number';
import { bytesOf, documentOf, elementsOf, type BsonValue } from '../bson/value';
import { arrayOf, encode, type Plain } from '../bson/write';
import { BsonType } from '../bson/types';
import { choosePlanInSlices } from '../plan/choose';
import { execute } from '../plan/execute';
import type { Plan, Query } from '../plan/plan';
import type { Progress } from '../plan/progress';
import { parseOptionalFilter } from '../query/parse';
import { parseProjection, type Projection } from '../query/projection';
import { parseSort } from '../query/sort';
import type { Command } from './command';
import type { Results } from './cursors';
import { progressOf, type Engine } from './engine';

export interface FindRequest {
  readonly query: Query;
  readonly projection: Projection | undefined;
  readonly single: boolean;
}

export function parseFind(command: Command): FindRequest {
  return {
    query: {
      filter: parseOptionalFilter(command.get('filter'), 'filter'),
      sort: parseSort(command.get('sort')),
      skip: command.count('skip', 0),
      limit: command.count('limit', 0),
      hint: command.hint(),
    },
    projection: parseProjection(command.get('projection')),
    single: command.boolean('singleBatch', false),
  };
}

export async function find(command: Command, engine: Engine): Promise<Buffer> {
  const { query, projection, single } = parseFind(command);
  const progress = progressOf(command, engine);
  const plan = await choosePlanInSlices(
    engine.environment,
    engine.catalog.get(command.namespace),
    query,
    progress,
  );
  const results = documentsOf(engine, plan, projection, progress);
  const batchSize = command.has('batchSize') ? command.count('batchSize', 0) : undefined;
  return engine.cursors.first(command.namespace, results, progress, batchSize, single);
}

/** The documents of a plan, projected for the client. */
function* documentsOf(
  engine: Engine,
  plan: Plan,
  projection: Projection | undefined,
  progress: Progress,
): Results {
  for (const hit of execute(engine.environment, plan, progress)) {
    if (hit === undefined) yield undefined;
    else yield projection === undefined ? hit.raw : bytesOf(projection(documentOf(hit.raw)));
  }
}

export function getMore(command: Command, engine: Engine): Promise<Buffer> {
  const id = command.required('getMore');
  command.required('collection');
  const collection = command.string('collection')!;
  const batchSize = command.has('batchSize') ? command.count('batchSize', 0) : undefined;
  return engine.cursors.more(longOf(id), `${command.database}.${collection}`, batchSize, command.deadline);
}

export function killCursors(command: Command, engine: Engine): Buffer {
  const killed: BsonValue[] = [];
  const missing: BsonValue[] = [];
  for (const id of elementsOf(command.array('cursors') ?? arrayOf([]))) {
    if (id.type !== BsonType.long) throw new MongoError(14, 'killCursors takes cursor ids of type long');
    (engine.cursors.kill(longOf(id)) ? killed : missing).push(id);
  }
  const none: Plain = [];
  return encode({
    cursorsKilled: killed,
    cursorsNotFound: missing,
    cursorsAlive: none,
    cursorsUnknown: none,
    ok: 1,
  });
}
