import { documentOf } from '../bson/value';
import type { Catalog } from './catalog';
import type { Collection } from './collection';
import type { Documents } from './documents';
import { idSize, recordSize, recordMax, documentKey, type Environment } from './environment';
import { Damaged } from './seal';

/** The number of documents that are checked in each collection, so that a start takes a fraction of a second. */
const checkedMax = 10;

/**
 * Checks the newest documents of each collection and their index keys, because index pages have no checksum. Other
 * documents are checked when they are read.
 * @throws Damaged
 */
export function verifyNewest(environment: Environment, catalog: Catalog, documents: Documents): void {
  for (const collection of catalog.all()) {
    const range = {
      start: documentKey(collection.id, recordMax),
      end: documentKey(collection.id, 0),
      reverse: true,
      limit: checkedMax,
    };
    for (const key of environment.documents.getKeys(range))
      verify(environment, documents, collection, key.readUIntBE(idSize, recordSize));
  }
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
