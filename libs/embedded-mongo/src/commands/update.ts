import { failedToParse, MongoError } from '../errors';
import { encode, type Plain } from '../bson/write';
import { bytesOf, documentOf, field, type BsonValue } from '../bson/value';
import { unlimited, type Query } from '../plan/plan';
import { Progress } from '../plan/progress';
import { parseOptionalFilter } from '../query/parse';
import type { Collection } from '../store/collection';
import { documentBytesMax } from '../store/documents';
import type { Job } from '../store/write-group';
import { applyUpdate, parseUpdate, type Update } from '../update/update';
import { upsertDocument } from '../update/upsert';
import { updateStatementFields } from '../supported';
import { Options, checkBatchSize, type Command } from './command';
import type { Engine } from './engine';
import { eachToWrite, findOneToWrite } from './write-search';
import { WriteErrors, eachItem } from './write-errors';

interface UpdateStatement {
  readonly query: Query;
  readonly update: Update;
  readonly multi: boolean;
  readonly upsert: boolean;
}

function parseStatement(v: BsonValue): UpdateStatement {
  const o = new Options('update.updates', v);
  o.allow(updateStatementFields);
  const update = parseUpdate(o.required('u'));
  const multi = o.boolean('multi', false);
  if (multi && update.kind === 'replace')
    throw failedToParse('multi update is not supported for replacement-style update');
  const query = { ...unlimited, filter: parseOptionalFilter(o.required('q'), 'q'), limit: multi ? 0 : 1 };
  return { query, update, multi, upsert: o.boolean('upsert', false) };
}

export async function update(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace, deadline } = command;
  const statements = command.batch('updates');
  checkBatchSize(statements.length);
  const errors = new WriteErrors();
  let n = 0;
  let nModified = 0;
  const upserted: Plain[] = [];
  const job = eachItem(statements, command.boolean('ordered', true), errors, function* (v, index) {
    const done = yield* runStatement(engine, namespace, parseStatement(v), new Progress(deadline));
    n += done.matched;
    nModified += done.modified;
    if (done.upserted !== undefined) {
      n++;
      upserted.push({ index, _id: done.upserted });
    }
  });
  await engine.writes.submit(job);
  return encode({ n, ...(upserted.length > 0 && { upserted }), nModified, ...errors.fields(), ok: 1 });
}

interface UpdateOutcome {
  matched: number;
  modified: number;
  upserted: BsonValue | undefined;
}

function* runStatement(
  engine: Engine,
  namespace: string,
  s: UpdateStatement,
  progress: Progress,
): Job<UpdateOutcome> {
  const out: UpdateOutcome = { matched: 0, modified: 0, upserted: undefined };
  const change = (collection: Collection, record: number, doc: BsonValue): void => {
    if (changeDocument(engine, collection, record, doc, s.update).changed) out.modified++;
  };
  if (s.multi) {
    out.matched = yield* eachToWrite(engine, namespace, s.query, progress, change);
  } else {
    const found = yield* findOneToWrite(engine, namespace, s.query, progress);
    if (found !== undefined) {
      out.matched = 1;
      change(found.collection, found.hit.record, documentOf(found.hit.raw));
    }
  }
  if (out.matched === 0 && s.upsert)
    out.upserted = field(insertUpsert(engine, namespace, s.query, s.update), '_id');
  return out;
}

/** Applies an update to a document and writes the result if it differs. */
export function changeDocument(
  engine: Engine,
  collection: Collection,
  record: number,
  doc: BsonValue,
  update: Update,
): { after: BsonValue; changed: boolean } {
  const after = applyUpdate(doc, update, false);
  const changed = !bytesOf(after).equals(bytesOf(doc));
  if (changed) engine.documents.replace(collection, record, doc, after);
  return { after, changed };
}

export function insertUpsert(engine: Engine, namespace: string, query: Query, update: Update): BsonValue {
  const doc = upsertDocument(query.filter, update);
  if (doc.end - doc.start > documentBytesMax)
    throw new MongoError(17420, `Document to upsert is larger than ${documentBytesMax}`);
  return engine.documents.insert(engine.catalog.ensure(namespace), doc);
}
