import { badValue } from '../errors';
import { encode } from '../bson/write';
import { documentOf, type BsonValue } from '../bson/value';
import { unlimited, type Query } from '../plan/plan';
import { Progress } from '../plan/progress';
import { parseOptionalFilter } from '../query/parse';
import { deleteStatementFields } from '../supported';
import { Options, checkBatchSize, type Command } from './command';
import type { Engine } from './engine';
import { eachToWrite, findOneToWrite } from './write-search';
import { WriteErrors, eachItem } from './write-errors';

function parseDelete(v: BsonValue): Query {
  const o = new Options('delete.deletes', v);
  o.allow(deleteStatementFields);
  o.required('limit');
  const limit = o.count('limit', 0);
  if (limit > 1) throw badValue(`The limit field in delete objects must be 0 or 1. Got ${limit}`);
  return { ...unlimited, filter: parseOptionalFilter(o.required('q'), 'q'), limit };
}

export async function deleteDocuments(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace, deadline } = command;
  const statements = command.batch('deletes');
  checkBatchSize(statements.length);
  const errors = new WriteErrors();
  let n = 0;
  const job = eachItem(statements, command.boolean('ordered', true), errors, function* (v) {
    const query = parseDelete(v);
    const progress = new Progress(deadline);
    if (query.limit === 0) {
      n += yield* eachToWrite(engine, namespace, query, progress, (collection, record, doc) =>
        engine.documents.remove(collection, record, doc),
      );
      return;
    }
    const found = yield* findOneToWrite(engine, namespace, query, progress);
    if (found === undefined) return;
    engine.documents.remove(found.collection, found.hit.record, documentOf(found.hit.raw));
    n++;
  });
  await engine.writes.submit(job);
  return encode({ n, ...errors.fields(), ok: 1 });
}
