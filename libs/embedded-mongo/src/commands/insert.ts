import { encode } from '../bson/write';
import type { Val } from '../bson/value';
import { WRITE_SLICE_MS, type Job } from '../store/write-queue';
import { checkBatchSize, type Command } from './command';
import type { Engine } from './engine';
import { WriteErrors } from './write-errors';

export const INSERT_FIELDS = new Set(['insert', 'documents', 'ordered', 'bypassDocumentValidation']);

export async function insert(c: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = c;
  const docs = c.batch('documents');
  checkBatchSize(docs.length);
  const ordered = c.boolean('ordered', true);
  const errors = new WriteErrors();
  const n = await engine.writes.submit(insertAll(engine, namespace, docs, ordered, errors), namespace);
  return encode({ n, ...errors.fields(), ok: 1 });
}

function* insertAll(
  engine: Engine,
  namespace: string,
  docs: readonly Val[],
  ordered: boolean,
  errors: WriteErrors,
): Job<number> {
  let n = 0;
  let sliceEnd = performance.now() + WRITE_SLICE_MS;
  for (let i = 0; i < docs.length; i++) {
    try {
      engine.documents.insert(engine.catalog.ensure(namespace), docs[i]!);
      n++;
    } catch (e) {
      errors.add(i, e);
      if (ordered) break;
    }
    if (i + 1 < docs.length && performance.now() > sliceEnd) {
      yield;
      sliceEnd = performance.now() + WRITE_SLICE_MS;
    }
  }
  return n;
}
