import { MongoError } from '../errors';
import { equal } from '../bson/compare';
import { print } from '../bson/print';
import { encode, objectOf } from '../bson/write';
import { bytesOf, documentOf, elementsOf } from '../bson/value';
import { isHinted } from '../plan/choose';
import { Progress } from '../plan/progress';
import { idIndexSpec, indexDocument } from '../store/catalog';
import type { Collection, Index, IndexSpec } from '../store/collection';
import { idSize, recordSize, recordMax, documentKey } from '../store/environment';
import type { Job } from '../store/write-group';
import { writeSliceMs } from '../store/write-queue';
import type { Command } from './command';
import type { Results } from './cursors';
import { existing, type Engine } from './engine';
import { parseIndexSpec } from './index-spec';

export async function createIndexes(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  const list = command.array('indexes');
  const specs = list === undefined ? [] : elementsOf(list).map(parseIndexSpec);
  if (specs.length === 0) throw new MongoError(2, 'Must specify at least one index to create');
  const done = await engine.writes.submit(createAll(engine, namespace, specs));
  return encode({ ...done, ok: 1 });
}

function* createAll(
  engine: Engine,
  namespace: string,
  specs: readonly IndexSpec[],
): Job<{ numIndexesBefore: number; numIndexesAfter: number; createdCollectionAutomatically: boolean }> {
  const made = engine.catalog.get(namespace) === undefined;
  const collection = engine.catalog.ensure(namespace);
  const numIndexesBefore = collection.readyIndexes.length;
  for (const spec of specs) if (!isThere(collection, spec)) yield* build(engine, collection, spec);
  return {
    numIndexesBefore,
    numIndexesAfter: collection.readyIndexes.length,
    createdCollectionAutomatically: made,
  };
}

/** True if the index exists. Throws code 85 or 86 if another index conflicts with it. */
function isThere(collection: Collection, spec: IndexSpec): boolean {
  for (const { spec: other } of collection.indexes) {
    const sameKey = isHinted(other, { kind: 'key', key: spec.key }) && samePartial(other, spec);
    if (sameKey && other.name === idIndexSpec.name) return true;
    const sameName = other.name === spec.name;
    const sameOptions =
      other.unique === spec.unique &&
      other.sparse === spec.sparse &&
      other.expireAfterSeconds === spec.expireAfterSeconds;
    if (sameName && sameKey && sameOptions) return true;
    const existing = print(objectOf(indexDocument({ spec: other })));
    if (sameName && !sameKey)
      throw new MongoError(86, `An existing index has the same name as the requested index: ${existing}`);
    if (sameKey)
      throw new MongoError(85, `Index already exists with a different name or options: ${existing}`);
  }
  return false;
}

const samePartial = (a: IndexSpec, b: IndexSpec): boolean =>
  a.partial === undefined || b.partial === undefined ? a.partial === b.partial : equal(a.partial, b.partial);

/** Builds an index in time slices. Concurrent writes already maintain it; queries use it only once it is complete. */
function* build(engine: Engine, collection: Collection, spec: IndexSpec): Job<void> {
  const index = engine.catalog.addIndex(collection, spec);
  try {
    yield* fileAll(engine, collection, index);
  } catch (error) {
    if (!collection.dropped && error instanceof MongoError) engine.catalog.dropIndex(collection, index);
    throw error;
  }
  index.ready = true;
  engine.catalog.save(collection);
}

const chunkDocuments = 64;

function* fileAll(engine: Engine, collection: Collection, index: Index): Job<void> {
  let low = documentKey(collection.id, 0);
  const high = documentKey(collection.id, recordMax);
  let sliceEnd = performance.now() + writeSliceMs;
  for (;;) {
    if (collection.dropped)
      throw new MongoError(
        26,
        `collection ${collection.namespace} was dropped while an index was being built`,
      );
    const chunk = [
      ...engine.environment.documents.getRange({ start: low, end: high, limit: chunkDocuments }),
    ];
    for (const { key, value } of chunk) {
      engine.documents.file(
        collection,
        index,
        key.readUIntBE(idSize, recordSize),
        documentOf(engine.environment.opened(collection, key, value)),
      );
    }
    if (chunk.length < chunkDocuments) return;
    low = documentKey(collection.id, chunk.at(-1)!.key.readUIntBE(idSize, recordSize) + 1);
    if (performance.now() > sliceEnd) {
      yield;
      sliceEnd = performance.now() + writeSliceMs;
    }
  }
}

export function listIndexes(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  const collection = existing(engine, namespace);
  const docs = collection.readyIndexes.map((i) => bytesOf(objectOf(indexDocument(i))));
  return engine.cursors.first(namespace, all(docs), new Progress(), undefined, false);
}

export function* all(docs: readonly Buffer[]): Results {
  yield* docs;
}
