import { failedToParse } from '../errors';
import { encode } from '../bson/write';
import { documentOf, field, type BsonValue } from '../bson/value';
import { unlimited, type Query } from '../plan/plan';
import { Progress } from '../plan/progress';
import { parseOptionalFilter } from '../query/parse';
import { parseProjection } from '../query/projection';
import { parseSort } from '../query/sort';
import type { Job } from '../store/write-group';
import { parseUpdate, type Update } from '../update/update';
import type { Command } from './command';
import type { Engine } from './engine';
import { changeDocument, insertUpsert } from './update';
import { findOneToWrite } from './write-search';

interface Modification {
  readonly query: Query;
  readonly update: Update;
  /** Whether the reply contains the document after the update instead of the original one. */
  readonly after: boolean;
  readonly upsert: boolean;
}

interface FindAndModifyResult {
  readonly n: number;
  readonly updatedExisting: boolean;
  readonly upserted?: BsonValue;
  readonly value: BsonValue | undefined;
}

export async function findAndModify(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  const given = command.get('update');
  if (command.boolean('remove', false)) throw failedToParse('this server does not support remove=true');
  if (given === undefined) throw failedToParse('Either an update or remove=true must be specified');
  const modification: Modification = {
    query: {
      ...unlimited,
      filter: parseOptionalFilter(command.get('query'), 'query'),
      sort: parseSort(command.get('sort')),
      limit: 1,
      hint: command.hint(),
    },
    update: parseUpdate(given),
    after: command.boolean('new', false),
    upsert: command.boolean('upsert', false),
  };
  const projection = parseProjection(command.get('fields'));
  const job = modify(engine, namespace, modification, new Progress(command.deadline));
  const { value, ...lastErrorObject } = await engine.writes.submit(job);
  return encode({
    lastErrorObject,
    value: value === undefined ? null : projection ? projection(value) : value,
    ok: 1,
  });
}

function* modify(
  engine: Engine,
  namespace: string,
  { query, update, after: returnsAfter, upsert }: Modification,
  progress: Progress,
): Job<FindAndModifyResult> {
  const found = yield* findOneToWrite(engine, namespace, query, progress);
  if (found !== undefined) {
    const before = documentOf(found.hit.raw);
    const { after } = changeDocument(engine, found.collection, found.hit.record, before, update);
    return { n: 1, updatedExisting: true, value: returnsAfter ? after : before };
  }
  if (!upsert) return { n: 0, updatedExisting: false, value: undefined };
  const made = insertUpsert(engine, namespace, query, update);
  const upserted = field(made, '_id')!;
  return { n: 1, updatedExisting: false, upserted, value: returnsAfter ? made : undefined };
}
