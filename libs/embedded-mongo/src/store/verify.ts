import { documentOf } from '../bson/value';
import type { Catalog } from './catalog';
import type { Collection } from './collection';
import type { Documents } from './documents';
import { ID_BYTES, RECORD_BYTES, RECORD_MAX, documentKey, type Environment } from './environment';
import { Damaged } from './seal';

/**
 * Checks the newest documents of each collection and their index keys until the time is over, at least one document of
 * each. Others are checked when they are read.
 * @throws Damaged
 */
export function verifyNewest(
  environment: Environment,
  catalog: Catalog,
  documents: Documents,
  ms: number,
): void {
  const collections = [...catalog.all()];
  for (const c of collections) {
    const until = performance.now() + ms / collections.length;
    for (const record of newestRecords(environment, c)) {
      verify(environment, documents, c, record);
      if (performance.now() >= until) break;
    }
  }
}

function* newestRecords(environment: Environment, c: Collection): Generator<number, void, void> {
  const range = { start: documentKey(c.id, RECORD_MAX), end: documentKey(c.id, 0), reverse: true };
  for (const key of environment.documents.getKeys(range)) yield key.readUIntBE(ID_BYTES, RECORD_BYTES);
}

function verify(environment: Environment, documents: Documents, c: Collection, record: number): void {
  const raw = documents.read(c, record);
  const index = raw && documents.indexWithout(c, record, documentOf(raw));
  if (index !== undefined)
    throw new Damaged(environment.path, c.namespace, `index ${index.name} lacks document ${record}`);
  if (record >= c.nextRecord)
    throw new Damaged(environment.path, c.namespace, `document ${record} is beyond its end`);
}
