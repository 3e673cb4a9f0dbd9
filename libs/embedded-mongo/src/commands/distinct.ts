import { MongoError } from '../errors';
import { compare } from '../bson/compare';
import { arrayOf, encode } from '../bson/write';
import { documentOf, type BsonValue } from '../bson/value';
import { encodeValue } from '../keys/key-writer';
import { eachValue, pathOf } from '../keys/path';
import { choosePlanInSlices } from '../plan/choose';
import { execute } from '../plan/execute';

import { parseOptionalFilter } from '../query/parse';
import { documentBytesMax } from '../store/documents';
import type { Command } from './command';
import { inSlices } from './cursors';
import { progressOf, type Engine } from './engine';

export const distinctFields = new Set(['distinct', 'key', 'query', 'collation', 'hint']);

/** The distinct values of a field in sort order. Arrays count as their elements. */
export async function distinct(command: Command, engine: Engine): Promise<Buffer> {
  command.checkCollation();
  const key = command.string('key');
  if (key === undefined)
    throw new MongoError(40414, "BSON field 'distinct.key' is missing but a required field");
  const path = pathOf(key);
  const query = {
    filter: parseOptionalFilter(command.get('query'), 'query'),
    sort: undefined,
    skip: 0,
    limit: 0,
    hint: command.hint(),
  };
  const progress = progressOf(command, engine);
  const plan = await choosePlanInSlices(
    engine.environment,
    engine.catalog.get(command.namespace),
    query,
    progress,
  );
  const found = new Map<string, BsonValue>();
  let bytes = 0;
  const add = (v: BsonValue | undefined): void => {
    if (v === undefined) return;
    const k = encodeValue(v).toString('latin1');
    if (found.has(k)) return;
    found.set(k, v);
    bytes += v.end - v.start + 8;
    if (bytes > documentBytesMax) throw new MongoError(17217, 'distinct too big, 16mb cap');
  };
  try {
    const hits = execute(engine.environment, plan, progress, 0, 0);
    for await (const hit of inSlices(hits, progress)) eachValue(documentOf(hit.raw), path, add);
  } finally {
    progress.pause();
  }
  return encode({ values: arrayOf([...found.values()].sort(compare)), ok: 1 });
}
