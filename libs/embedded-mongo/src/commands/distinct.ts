import { MongoError } from '../errors';
import { compare } from '../bson/compare';
import { arrayOf, encode } from '../bson/write';
import { documentOf, type Val } from '../bson/value';
import { encodeValue } from '../keys/key-writer';
import { eachValue, pathOf } from '../keys/path';
import { choosePlanInSlices } from '../plan/choose';
import { execute } from '../plan/execute';

import { parseOptionalFilter } from '../query/parse';
import { DOCUMENT_BYTES_MAX } from '../store/documents';
import type { Command } from './command';
import { inSlices } from './cursors';
import { progressOf, type Engine } from './engine';

export const DISTINCT_FIELDS = new Set(['distinct', 'key', 'query', 'collation', 'hint']);

/** The distinct values of a field in sort order. Arrays count as their elements. */
export async function distinct(c: Command, engine: Engine): Promise<Buffer> {
  c.checkCollation();
  const key = c.string('key');
  if (key === undefined)
    throw new MongoError(40414, "BSON field 'distinct.key' is missing but a required field");
  const path = pathOf(key);
  const query = {
    filter: parseOptionalFilter(c.get('query'), 'query'),
    sort: undefined,
    skip: 0,
    limit: 0,
    hint: c.hint(),
  };
  const progress = progressOf(c, engine);
  const plan = await choosePlanInSlices(engine.environment, engine.catalog.get(c.namespace), query, progress);
  const found = new Map<string, Val>();
  let bytes = 0;
  const add = (v: Val | undefined): void => {
    if (v === undefined) return;
    const k = encodeValue(v).toString('latin1');
    if (found.has(k)) return;
    found.set(k, v);
    bytes += v.end - v.start + 8;
    if (bytes > DOCUMENT_BYTES_MAX) throw new MongoError(17217, 'distinct too big, 16mb cap');
  };
  try {
    const hits = execute(engine.environment, plan, progress, 0, 0);
    for await (const hit of inSlices(hits, progress)) eachValue(documentOf(hit.raw), path, add);
  } finally {
    progress.pause();
  }
  return encode({ values: arrayOf([...found.values()].sort(compare)), ok: 1 });
}
