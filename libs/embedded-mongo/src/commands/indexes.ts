import { MongoError } from '../errors';
import { equal } from '../bson/compare';
import { print } from '../bson/print';
import { encode, fromJs, objectOf } from '../bson/write';
import { T } from '../bson/types';
import { bytesOf, documentOf, elementsOf, stringOf, type Val } from '../bson/value';
import { isHinted } from '../plan/choose';
import { Progress } from '../plan/progress';
import { ID_INDEX, indexDocument } from '../store/catalog';
import type { Collection, Index, IndexSpec } from '../store/collection';
import { ID_BYTES, RECORD_BYTES, RECORD_MAX, documentKey } from '../store/environment';
import { WRITE_SLICE_MS, type Job } from '../store/write-queue';
import { Options, type Command } from './command';
import type { Results } from './cursors';
import { existing, type Engine } from './engine';
import { parseIndexSpec } from './index-spec';

export const CREATE_INDEXES_FIELDS = new Set([
  'createIndexes',
  'indexes',
  'ignoreUnknownIndexOptions',
  'commitQuorum',
]);

export async function createIndexes(c: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = c;
  const list = c.array('indexes');
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
  const c = engine.catalog.ensure(namespace);
  const numIndexesBefore = c.readyIndexes.length;
  for (const spec of specs) if (!isThere(c, spec)) yield* build(engine, c, spec);
  return { numIndexesBefore, numIndexesAfter: c.readyIndexes.length, createdCollectionAutomatically: made };
}

/** True if the index exists. Throws code 85 or 86 if another index conflicts with it. */
function isThere(c: Collection, spec: IndexSpec): boolean {
  for (const { spec: other } of c.indexes) {
    const sameKey = isHinted(other, { kind: 'key', key: spec.key }) && samePartial(other, spec);
    if (sameKey && other.name === ID_INDEX.name) return true;
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
function* build(engine: Engine, c: Collection, spec: IndexSpec): Job<void> {
  const index = engine.catalog.addIndex(c, spec);
  try {
    yield* fileAll(engine, c, index);
  } catch (e) {
    if (!c.dropped && e instanceof MongoError) engine.catalog.dropIndex(c, index);
    throw e;
  }
  index.ready = true;
  engine.catalog.save(c);
}

const CHUNK_DOCUMENTS = 64;

function* fileAll(engine: Engine, c: Collection, index: Index): Job<void> {
  let low = documentKey(c.id, 0);
  const high = documentKey(c.id, RECORD_MAX);
  let sliceEnd = performance.now() + WRITE_SLICE_MS;
  for (;;) {
    if (c.dropped) throw new MongoError(26, `collection ${c.namespace} was dropped while an index was built`);
    const chunk = [
      ...engine.environment.documents.getRange({ start: low, end: high, limit: CHUNK_DOCUMENTS }),
    ];
    for (const { key, value } of chunk) {
      engine.documents.file(
        c,
        index,
        key.readUIntBE(ID_BYTES, RECORD_BYTES),
        documentOf(engine.environment.opened(c, key, value)),
      );
    }
    if (chunk.length < CHUNK_DOCUMENTS) return;
    low = documentKey(c.id, chunk.at(-1)!.key.readUIntBE(ID_BYTES, RECORD_BYTES) + 1);
    if (performance.now() > sliceEnd) {
      yield;
      sliceEnd = performance.now() + WRITE_SLICE_MS;
    }
  }
}

export const DROP_INDEXES_FIELDS = new Set(['dropIndexes', 'deleteIndexes', 'index']);

export async function dropIndexes(c: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = c;
  const wanted = c.required('index');
  const nIndexesWas = await engine.writes.submit(dropWanted(engine, namespace, wanted));
  return encode({ nIndexesWas, ok: 1 });
}

// oxlint-disable-next-line require-yield -- A job that is done in one slice.
function* dropWanted(engine: Engine, namespace: string, wanted: Val): Job<number> {
  const c = engine.catalog.get(namespace);
  if (c === undefined) throw new MongoError(26, `ns not found ${namespace}`);
  const before = c.indexes.length;
  for (const index of chosen(c, wanted)) engine.catalog.dropIndex(c, index);
  return before;
}

function chosen(c: Collection, wanted: Val): Index[] {
  if (wanted.type === T.STRING && stringOf(wanted) === '*') return c.indexes.filter((i) => i !== c.idIndex);
  const list = wanted.type === T.ARRAY ? elementsOf(wanted) : [wanted];
  return list.map((w) => {
    const byName = w.type === T.STRING;
    if (!byName && w.type !== T.OBJECT)
      throw new MongoError(14, 'index must be a name, a list of names or a key pattern');
    const hint = new Options('dropIndexes', documentOf(encode({ hint: w }))).hint();
    const index = hint && c.indexes.find((i) => isHinted(i.spec, hint));
    if (index === undefined) {
      throw new MongoError(
        27,
        byName ? `index not found with name [${stringOf(w)}]` : `can't find index with key: ${print(w)}`,
      );
    }
    if (index === c.idIndex) throw new MongoError(72, 'cannot drop _id index');
    return index;
  });
}

export const LIST_INDEXES_FIELDS = new Set([
  'listIndexes',
  'cursor',
  'includeBuildUUIDs',
  'includeIndexBuildInfo',
]);

export function listIndexes(c: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = c;
  const collection = existing(engine, namespace);
  const docs = collection.readyIndexes.map((i) => bytesOf(objectOf(indexDocument(i))));
  return engine.cursors.first(namespace, all(docs), new Progress(), undefined, false);
}

export function* all(docs: readonly Buffer[]): Results {
  yield* docs;
}
