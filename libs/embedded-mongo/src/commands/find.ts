import { MongoError } from '../errors';
import { longOf } from '../bson/number';
import { bytesOf, documentOf, elementsOf, type Val } from '../bson/value';
import { arrayOf, encode, type Plain } from '../bson/write';
import { T } from '../bson/types';
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

export const FIND_FIELDS = new Set([
  'find',
  'filter',
  'sort',
  'projection',
  'hint',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'collation',
  'allowDiskUse',
  'noCursorTimeout',
  'allowPartialResults',
]);

export interface FindRequest {
  readonly query: Query;
  readonly projection: Projection | undefined;
  readonly single: boolean;
}

/** Reads the options of find. A negative limit means a single batch. */
export function parseFind(c: Command): FindRequest {
  c.checkCollation();
  const limit = c.number('limit') ?? 0;
  if (!Number.isInteger(limit)) throw new MongoError(9, `limit must be a whole number, got ${limit}`);
  return {
    query: {
      filter: parseOptionalFilter(c.get('filter'), 'filter'),
      sort: parseSort(c.get('sort')),
      skip: c.count('skip', 0),
      limit: Math.abs(limit),
      hint: c.hint(),
    },
    projection: parseProjection(c.get('projection')),
    single: c.boolean('singleBatch', false) || limit < 0,
  };
}

export async function find(c: Command, engine: Engine): Promise<Buffer> {
  const { query, projection, single } = parseFind(c);
  const progress = progressOf(c, engine);
  const plan = await choosePlanInSlices(engine.environment, engine.catalog.get(c.namespace), query, progress);
  const results = documentsOf(engine, plan, query, projection, progress);
  const batchSize = c.has('batchSize') ? c.count('batchSize', 0) : undefined;
  return engine.cursors.first(c.namespace, results, progress, batchSize, single);
}

/** The documents of a plan, projected for the client. */
export function* documentsOf(
  engine: Engine,
  plan: Plan,
  query: Query,
  projection: Projection | undefined,
  progress: Progress,
): Results {
  for (const hit of execute(engine.environment, plan, progress, query.skip, query.limit)) {
    if (hit === undefined) yield undefined;
    else yield projection === undefined ? hit.raw : bytesOf(projection(documentOf(hit.raw)));
  }
}

export const GET_MORE_FIELDS = new Set(['getMore', 'collection', 'batchSize', 'term']);

export function getMore(c: Command, engine: Engine): Promise<Buffer> {
  const id = c.required('getMore');
  const collection = c.string('collection');
  if (collection === undefined)
    throw new MongoError(40414, "BSON field 'getMore.collection' is missing but a required field");
  const batchSize = c.has('batchSize') ? c.count('batchSize', 0) : undefined;
  return engine.cursors.more(longOf(id), `${c.database}.${collection}`, batchSize, c.deadline);
}

export const KILL_CURSORS_FIELDS = new Set(['killCursors', 'cursors']);

export function killCursors(c: Command, engine: Engine): Buffer {
  const killed: Val[] = [];
  const missing: Val[] = [];
  for (const id of elementsOf(c.array('cursors') ?? arrayOf([]))) {
    if (id.type !== T.LONG) throw new MongoError(14, 'killCursors takes cursor ids of type long');
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
