import { MongoError } from '../errors';
import { documentOf } from '../bson/value';
import { encode, objectOf, type Plain } from '../bson/write';
import { Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import { parseOptionalFilter } from '../query/parse';
import { ID_INDEX, indexDocument, makeIndex } from '../store/catalog';
import type { Collection } from '../store/collection';
import type { Job } from '../store/write-queue';
import type { Command } from './command';
import type { Engine } from './engine';
import { all } from './indexes';

/** A job that is done in one slice. */
// oxlint-disable-next-line require-yield -- It has nothing to wait for.
export function* atOnce<T>(run: () => T): Job<T> {
  return run();
}

export const CREATE_FIELDS = new Set(['create', 'capped', 'collation']);

export async function create(c: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = c;
  c.checkCollation();
  if (c.boolean('capped', false)) throw new MongoError(72, 'this server has no capped collections');
  await engine.writes.submit(
    atOnce(() => {
      if (engine.catalog.get(namespace)) throw new MongoError(48, `Collection ${namespace} already exists.`);
      engine.catalog.ensure(namespace);
    }),
  );
  return encode({ ok: 1 });
}

export const DROP_FIELDS = new Set(['drop']);

export async function drop(c: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = c;
  const nIndexesWas = await engine.writes.submit(
    atOnce(() => {
      const collection = engine.catalog.get(namespace);
      if (collection === undefined) return undefined;
      engine.catalog.dropCollection(collection);
      return collection.indexes.length;
    }),
  );
  // MongoDB 7 returns ok even if the collection does not exist.
  return nIndexesWas === undefined ? encode({ ok: 1 }) : encode({ nIndexesWas, ns: namespace, ok: 1 });
}

export const DROP_DATABASE_FIELDS = new Set(['dropDatabase']);

export async function dropDatabase(c: Command, engine: Engine): Promise<Buffer> {
  await engine.writes.submit(
    atOnce(() => {
      for (const collection of collectionsOf(engine, c.database)) engine.catalog.dropCollection(collection);
    }),
  );
  return encode({ dropped: c.database, ok: 1 });
}

const collectionsOf = (engine: Engine, database: string): Collection[] =>
  [...engine.catalog.all()].filter((c) => c.namespace.startsWith(`${database}.`));

export const LIST_COLLECTIONS_FIELDS = new Set([
  'listCollections',
  'filter',
  'nameOnly',
  'authorizedCollections',
  'cursor',
]);

export function listCollections(c: Command, engine: Engine): Promise<Buffer> {
  const matches = compileFilter(parseOptionalFilter(c.get('filter'), 'filter'));
  const nameOnly = c.boolean('nameOnly', false);
  const idIndex = objectOf(indexDocument(makeIndex(0, ID_INDEX, { ready: true })));
  const docs = collectionsOf(engine, c.database).map((collection) => {
    const name = collection.namespace.slice(c.database.length + 1);
    const brief = { name, type: 'collection' };
    const info: Plain = { readOnly: false, uuid: collection.uuid };
    return encode(nameOnly ? brief : { ...brief, options: {}, info, idIndex });
  });
  const wanted = docs.filter((d) => matches(documentOf(d)));
  return engine.cursors.first(
    `${c.database}.$cmd.listCollections`,
    all(wanted),
    new Progress(),
    undefined,
    false,
  );
}

export const LIST_DATABASES_FIELDS = new Set(['listDatabases', 'filter', 'nameOnly', 'authorizedDatabases']);

export function listDatabases(c: Command, engine: Engine): Buffer {
  const sizes = new Map<string, number>();
  for (const { namespace, bytes } of engine.catalog.all()) {
    const name = namespace.slice(0, namespace.indexOf('.'));
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  const matches = compileFilter(parseOptionalFilter(c.get('filter'), 'filter'));
  const nameOnly = c.boolean('nameOnly', false);
  const databases = [...sizes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, sizeOnDisk]) => (nameOnly ? { name } : { name, sizeOnDisk, empty: false }))
    .filter((d) => matches(documentOf(encode(d))));
  const totalSize = [...sizes.values()].reduce((a, b) => a + b, 0);
  return encode(nameOnly ? { databases, ok: 1 } : { databases, totalSize, ok: 1 });
}

export const COLL_STATS_FIELDS = new Set(['collStats', 'collstats', 'scale']);

export function collStats(c: Command, engine: Engine): Buffer {
  const { namespace } = c;
  const scale = Math.max(1, c.count('scale', 1));
  const collection = engine.catalog.get(namespace);
  const size = Math.floor((collection?.bytes ?? 0) / scale);
  const n = collection?.count ?? 0;
  return encode({
    ns: namespace,
    size,
    count: n,
    ...(n > 0 && { avgObjSize: Math.round(collection!.bytes / n) }),
    storageSize: size,
    nindexes: collection?.readyIndexes.length ?? 0,
    capped: false,
    scaleFactor: scale,
    ok: 1,
  });
}
