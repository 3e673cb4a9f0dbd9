import { documentOf } from '../bson/value';
import type { Catalog } from './catalog';
import type { Collection } from './collection';
import type { Documents } from './documents';
import { idSize, recordSize, recordMax, documentKey, type Environment } from './environment';
import { Damaged } from './seal';

/**
 * Checks the newest documents of each collection and their index keys until the time limit is reached, but at least one
 * document of each. Other documents are checked when they are read.
 * @throws Damaged
 */
export function verifyNewest(
  environment: Environment,
  catalog: Catalog,
  documents: Documents,
  ms: number,
): void {
  const collections = [...catalog.all()];
  for (const collection of collections) {
    const until = performance.now() + ms / collections.length;
    for (const record of newestRecords(environment, collection)) {
      verify(environment, documents, collection, record);
      if (performance.now() >= until) break;
    }
  }
}

function* newestRecords(environment: Environment, collection: Collection): Generator<number, void, void> {
  const range = {
    start: documentKey(collection.id, recordMax),
    end: documentKey(collection.id, 0),
    reverse: true,
  };
  for (const key of environment.documents.getKeys(range)) yield key.readUIntBE(idSize, recordSize);
}

function verify(
  environment: Environment,
  documents: Documents,
  collection: Collection,
  record: number,
): void {
  const raw = documents.read(collection, record);
  const index = raw && documents.indexWithout(collection, record, documentOf(raw));
  if (index !== undefined)
    throw new Damaged(environment.path, collection.namespace, `index ${index.name} lacks document ${record}`);
  if (record >= collection.nextRecord)
    throw new Damaged(environment.path, collection.namespace, `document ${record} is beyond its end`);
}
