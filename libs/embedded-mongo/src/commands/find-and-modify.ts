import { failedToParse } from '../errors';
import { encode } from '../bson/write';
import { documentOf, field, type BsonValue } from '../bson/value';
import type { Query } from '../plan/plan';
import { Progress } from '../plan/progress';
import { parseOptionalFilter } from '../query/parse';
import { parseProjection } from '../query/projection';
import { parseSort } from '../query/sort';
import type { Job } from '../store/write-queue';
import { parseUpdate } from '../update/update';
import type { Command } from './command';
import type { Engine } from './engine';
import { changeDocument, insertUpsert } from './update';
import { findOneToWrite } from './write-search';

export const findAndModifyFields = new Set([
  'findAndModify',
  'findandmodify',
  'query',
  'sort',
  'remove',
  'update',
  'new',
  'fields',
  'upsert',
  'bypassDocumentValidation',
  'arrayFilters',
  'hint',
  'collation',
  'let',
]);

interface Outcome {
  n: number;
  updatedExisting?: boolean;
  upserted?: BsonValue;
  value: BsonValue | undefined;
}

export async function findAndModify(command: Command, engine: Engine): Promise<Buffer> {
  command.checkCollation();
  const { namespace } = command;
  const remove = command.boolean('remove', false);
  const fresh = command.boolean('new', false);
  const upsert = command.boolean('upsert', false);
  const given = command.get('update');
  if (command.has('let')) throw failedToParse("this server knows no variables ('let')");
  if (remove && given) throw failedToParse('Cannot specify both an update and remove=true');
  if (!remove && !given) throw failedToParse('Either an update or remove=true must be specified');
  if (remove && upsert) throw failedToParse('Cannot specify both upsert=true and remove=true');
  if (remove && fresh)
    throw failedToParse(
      "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
    );
  const query: Query = {
    filter: parseOptionalFilter(command.get('query'), 'query'),
    sort: parseSort(command.get('sort')),
    skip: 0,
    limit: 1,
    hint: command.hint(),
  };
  const projection = parseProjection(command.get('fields'));
  const progress = new Progress(command.deadline);
  const job = given
    ? updating(engine, namespace, query, given, command.array('arrayFilters'), { fresh, upsert }, progress)
    : removing(engine, namespace, query, progress);
  const { value, n, updatedExisting, upserted } = await engine.writes.submit(job);
  return encode({
    lastErrorObject: { n, updatedExisting, upserted },
    value: value === undefined ? null : projection ? projection(value) : value,
    ok: 1,
  });
}

function* removing(engine: Engine, namespace: string, query: Query, progress: Progress): Job<Outcome> {
  const found = yield* findOneToWrite(engine, namespace, query, progress);
  if (found === undefined) return { n: 0, value: undefined };
  const doc = documentOf(found.hit.raw);
  engine.documents.remove(found.collection, found.hit.record, doc);
  return { n: 1, value: doc };
}

function* updating(
  engine: Engine,
  namespace: string,
  query: Query,
  given: BsonValue,
  arrayFilters: BsonValue | undefined,
  wanted: { fresh: boolean; upsert: boolean },
  progress: Progress,
): Job<Outcome> {
  const update = parseUpdate(given, arrayFilters);
  const found = yield* findOneToWrite(engine, namespace, query, progress);
  if (found !== undefined) {
    const doc = documentOf(found.hit.raw);
    const { after } = changeDocument(engine, found.collection, found.hit.record, doc, update, query);
    return { n: 1, updatedExisting: true, value: wanted.fresh ? after : doc };
  }
  if (!wanted.upsert) return { n: 0, updatedExisting: false, value: undefined };
  const doc = insertUpsert(engine, namespace, query, update);
  return {
    n: 1,
    updatedExisting: false,
    upserted: field(doc, '_id')!,
    value: wanted.fresh ? doc : undefined,
  };
}
