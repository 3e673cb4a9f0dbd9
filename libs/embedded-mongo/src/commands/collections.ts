import { MongoError } from '../errors';
import { documentOf } from '../bson/value';
import { encode, objectOf, type Plain } from '../bson/write';
import { Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import { parseOptionalFilter } from '../query/parse';
import { idIndexSpec, indexDocument, makeIndex } from '../store/catalog';
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

export const createFields = new Set(['create', 'capped', 'collation']);

export async function create(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  command.checkCollation();
  if (command.boolean('capped', false)) throw new MongoError(72, 'this server has no capped collections');
  await engine.writes.submit(
    atOnce(() => {
      if (engine.catalog.get(namespace)) throw new MongoError(48, `Collection ${namespace} already exists.`);
      engine.catalog.ensure(namespace);
    }),
  );
  return encode({ ok: 1 });
}

export const dropFields = new Set(['drop']);

export async function drop(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
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

export const dropDatabaseFields = new Set(['dropDatabase']);

export async function dropDatabase(command: Command, engine: Engine): Promise<Buffer> {
  await engine.writes.submit(
    atOnce(() => {
      for (const collection of collectionsOf(engine, command.database))
        engine.catalog.dropCollection(collection);
    }),
  );
  return encode({ dropped: command.database, ok: 1 });
}

const collectionsOf = (engine: Engine, database: string): Collection[] =>
  [...engine.catalog.all()].filter((collection) => collection.namespace.startsWith(`${database}.`));

export const listCollectionsFields = new Set([
  'listCollections',
  'filter',
  'nameOnly',
  'authorizedCollections',
  'cursor',
]);

export function listCollections(command: Command, engine: Engine): Promise<Buffer> {
  const matches = compileFilter(parseOptionalFilter(command.get('filter'), 'filter'));
  const nameOnly = command.boolean('nameOnly', false);
  const idIndex = objectOf(indexDocument(makeIndex(0, idIndexSpec, { ready: true })));
  const docs = collectionsOf(engine, command.database).map((collection) => {
    const name = collection.namespace.slice(command.database.length + 1);
    const brief = { name, type: 'collection' };
    const info: Plain = { readOnly: false, uuid: collection.uuid };
    return encode(nameOnly ? brief : { ...brief, options: {}, info, idIndex });
  });
  const wanted = docs.filter((d) => matches(documentOf(d)));
  return engine.cursors.first(
    `${command.database}.$cmd.listCollections`,
    all(wanted),
    new Progress(),
    undefined,
    false,
  );
}

export const listDatabasesFields = new Set(['listDatabases', 'filter', 'nameOnly', 'authorizedDatabases']);

export function listDatabases(command: Command, engine: Engine): Buffer {
  const sizes = new Map<string, number>();
  for (const { namespace, bytes } of engine.catalog.all()) {
    const name = namespace.slice(0, namespace.indexOf('.'));
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  const matches = compileFilter(parseOptionalFilter(command.get('filter'), 'filter'));
  const nameOnly = command.boolean('nameOnly', false);
  const databases = [...sizes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, sizeOnDisk]) => (nameOnly ? { name } : { name, sizeOnDisk, empty: false }))
    .filter((d) => matches(documentOf(encode(d))));
  const totalSize = [...sizes.values()].reduce((a, b) => a + b, 0);
  return encode(nameOnly ? { databases, ok: 1 } : { databases, totalSize, ok: 1 });
}

export const collStatsFields = new Set(['collStats', 'collstats', 'scale']);

export function collStats(command: Command, engine: Engine): Buffer {
  const { namespace } = command;
  const scale = Math.max(1, command.count('scale', 1));
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
