import { MongoError } from '../errors';
import { equal } from '../bson/compare';
import { print } from '../bson/print';
import { encode, fromJs, objectOf } from '../bson/write';
import { BsonType } from '../bson/types';
import { bytesOf, documentOf, elementsOf, stringOf, type BsonValue } from '../bson/value';
import { isHinted } from '../plan/choose';
import { Progress } from '../plan/progress';
import { idIndexSpec, indexDocument } from '../store/catalog';
import type { Collection, Index, IndexSpec } from '../store/collection';
import { idSize, recordSize, recordMax, documentKey } from '../store/environment';
import { writeSliceMs, type Job } from '../store/write-queue';
import { Options, type Command } from './command';
import type { Results } from './cursors';
import { existing, type Engine } from './engine';
import { parseIndexSpec } from './index-spec';

export const createIndexesFields = new Set([
  'createIndexes',
  'indexes',
  'ignoreUnknownIndexOptions',
  'commitQuorum',
]);

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
    const sameOptions =
      other.unique === spec.unique &&
      other.sparse === spec.sparse &&
      other.expireAfterSeconds === spec.expireAfterSeconds;
    if (other.name === spec.name) {
      if (sameKey && sameOptions) return true;
      throw sameKey
        ? new MongoError(
            85,
            `An equivalent index already exists with the same name but different options. Requested index: ${describe(spec)}, existing index: ${describe(other)}`,
          )
        : new MongoError(
            86,
            `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${describe(spec)}, existing index: ${describe(other)}`,
          );
    }
    if (sameKey) {
      throw new MongoError(
        85,
        sameOptions
          ? `Index already exists with a different name: ${other.name}`
          : `An equivalent index already exists with a different name and options. Requested index: ${describe(spec)}, existing index: ${describe(other)}`,
      );
    }
  }
  return false;
}

const samePartial = (a: IndexSpec, b: IndexSpec): boolean =>
  a.partial === undefined || b.partial === undefined ? a.partial === b.partial : equal(a.partial, b.partial);

const describe = (s: IndexSpec): string =>
  print(
    objectOf([
      ['v', fromJs(2)],
      ...(s.unique ? [['unique', fromJs(true)] as const] : []),
      ['key', objectOf(s.key.map(([n, d]) => [n, fromJs(d)]))],
      ['name', fromJs(s.name)],
    ]),
  );

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
      throw new MongoError(26, `collection ${collection.namespace} was dropped while an index was built`);
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

export const dropIndexesFields = new Set(['dropIndexes', 'deleteIndexes', 'index']);

export async function dropIndexes(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  const wanted = command.required('index');
  const nIndexesWas = await engine.writes.submit(dropWanted(engine, namespace, wanted));
  return encode({ nIndexesWas, ok: 1 });
}

// oxlint-disable-next-line require-yield -- A job that is done in one slice.
function* dropWanted(engine: Engine, namespace: string, wanted: BsonValue): Job<number> {
  const collection = engine.catalog.get(namespace);
  if (collection === undefined) throw new MongoError(26, `ns not found ${namespace}`);
  const before = collection.indexes.length;
  for (const index of chosen(collection, wanted)) engine.catalog.dropIndex(collection, index);
  return before;
}

function chosen(collection: Collection, wanted: BsonValue): Index[] {
  if (wanted.type === BsonType.string && stringOf(wanted) === '*')
    return collection.indexes.filter((i) => i !== collection.idIndex);
  const list = wanted.type === BsonType.array ? elementsOf(wanted) : [wanted];
  return list.map((w) => {
    const byName = w.type === BsonType.string;
    if (!byName && w.type !== BsonType.object)
      throw new MongoError(14, 'index must be a name, a list of names or a key pattern');
    const hint = new Options('dropIndexes', documentOf(encode({ hint: w }))).hint();
    const index = hint && collection.indexes.find((i) => isHinted(i.spec, hint));
    if (index === undefined) {
      throw new MongoError(
        27,
        byName ? `index not found with name [${stringOf(w)}]` : `can't find index with key: ${print(w)}`,
      );
    }
    if (index === collection.idIndex) throw new MongoError(72, 'cannot drop _id index');
    return index;
  });
}

export const listIndexesFields = new Set([
  'listIndexes',
  'cursor',
  'includeBuildUUIDs',
  'includeIndexBuildInfo',
]);

export function listIndexes(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  const collection = existing(engine, namespace);
  const docs = collection.readyIndexes.map((i) => bytesOf(objectOf(indexDocument(i))));
  return engine.cursors.first(namespace, all(docs), new Progress(), undefined, false);
}

export function* all(docs: readonly Buffer[]): Results {
  yield* docs;
}
