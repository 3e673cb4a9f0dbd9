import { MongoError } from '../errors';
import { documentOf } from '../bson/value';
import { encode, objectOf } from '../bson/write';
import { Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import { parseOptionalFilter } from '../query/parse';
import { idIndexSpec, indexDocument } from '../store/catalog';
import type { Collection } from '../store/collection';
import type { Job } from '../store/write-group';
import type { Command } from './command';
import type { Engine } from './engine';
import { all } from './indexes';

/** A job that is done in one slice. */
// oxlint-disable-next-line require-yield -- The job never waits.
export function* atOnce<T>(run: () => T): Job<T> {
  return run();
}

export async function create(command: Command, engine: Engine): Promise<Buffer> {
  const { namespace } = command;
  await engine.writes.submit(
    atOnce(() => {
      if (engine.catalog.get(namespace)) throw new MongoError(48, `Collection ${namespace} already exists.`);
      engine.catalog.ensure(namespace);
    }),
  );
  return encode({ ok: 1 });
}

/** A missing collection is not an error, as in MongoDB 7. */
export async function drop({ namespace }: Command, engine: Engine): Promise<Buffer> {
  await engine.writes.submit(
    atOnce(() => {
      const collection = engine.catalog.get(namespace);
      if (collection !== undefined) engine.catalog.dropCollection(collection);
    }),
  );
  return encode({ ok: 1 });
}

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

export function listCollections(command: Command, engine: Engine): Promise<Buffer> {
  const matches = compileFilter(parseOptionalFilter(command.get('filter'), 'filter'));
  const nameOnly = command.boolean('nameOnly', false);
  const idIndex = objectOf(indexDocument({ spec: idIndexSpec }));
  const documents = collectionsOf(engine, command.database)
    .map(({ namespace, uuid }) => ({
      name: namespace.slice(command.database.length + 1),
      type: 'collection',
      ...(!nameOnly && { options: {}, info: { readOnly: false, uuid }, idIndex }),
    }))
    .map((document) => encode(document))
    .filter((document) => matches(documentOf(document)));
  const namespace = `${command.database}.$cmd.listCollections`;
  return engine.cursors.first(namespace, all(documents), new Progress(), undefined, false);
}

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
