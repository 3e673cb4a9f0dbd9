import { encode } from '../bson/write';
import type { BsonValue } from '../bson/value';
import type { Job } from '../store/write-group';
import { writeSliceMs } from '../store/write-queue';
import { checkBatchSize, type Command } from './command';
import type { Engine } from './engine';
import { WriteErrors } from './write-errors';

export async function insert(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  const docs = command.batch('documents');
  checkBatchSize(docs.length);
  const ordered = command.boolean('ordered', true);
  const errors = new WriteErrors();
  const n = await engine.writes.submit(insertAll(engine, namespace, docs, ordered, errors), namespace);
  return encode({ n, ...errors.fields(), ok: 1 });
}

function* insertAll(
  engine: Engine,
  namespace: string,
  docs: readonly BsonValue[],
  ordered: boolean,
  errors: WriteErrors,
): Job<number> {
  let n = 0;
  let sliceEnd = performance.now() + writeSliceMs;
  for (let i = 0; i < docs.length; i++) {
    try {
      engine.documents.insert(engine.catalog.ensure(namespace), docs[i]!);
      n++;
    } catch (error) {
      errors.add(i, error);
      if (ordered) break;
    }
    if (i + 1 < docs.length && performance.now() > sliceEnd) {
      yield;
      sliceEnd = performance.now() + writeSliceMs;
    }
  }
  return n;
}
