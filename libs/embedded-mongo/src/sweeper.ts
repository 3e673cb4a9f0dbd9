import { date } from './bson/make';
import { atOnce } from './commands/collections';
import type { Engine } from './commands/engine';
import { eachToWrite } from './commands/write-search';
import { after } from './keys/key-writer';
import { unlimited, type Query } from './plan/plan';
import { Progress } from './plan/progress';
import type { Node } from './query/node';
import type { Catalog } from './store/catalog';
import type { Index } from './store/collection';
import { idBytes } from './store/environment';

/** The maximum numbers of documents and keys that one job deletes; the server can close between jobs. */
const documentsAtOnce = 200;
const keysAtOnce = 500;

/**
 * Deletes documents that have expired according to a TTL index. An array of dates expires with its earliest date.
 * Values other than dates never expire.
 */
export async function deleteExpired(engine: Engine, now: number): Promise<void> {
  for (const { namespace, readyIndexes } of Array.from(engine.catalog.all())) {
    for (const index of readyIndexes) {
      const seconds = index.spec.expireAfterSeconds;
      if (seconds === undefined) continue;
      const query = expiredQuery(index, now - seconds * 1000);
      let deleted: number;
      do {
        deleted = await engine.writes.submit(
          eachToWrite(engine, namespace, query, new Progress(), (collection, record, doc) =>
            engine.documents.remove(collection, record, doc),
          ),
        );
      } while (deleted === documentsAtOnce);
    }
  }
}

function expiredQuery({ fields: [field], partialFilter }: Index, limit: number): Query {
  const expired: Node = { kind: 'field', path: field!.path, test: { op: 'lte', value: date(limit) } };
  const filter: Node = partialFilter ? { kind: 'and', nodes: [partialFilter, expired] } : expired;
  return { ...unlimited, filter, limit: documentsAtOnce };
}

/** Deletes the data of dropped collections and indexes. */
export async function clearGarbage({ environment, catalog, writes }: Engine): Promise<void> {
  for (const { key, kind, id } of catalog.garbage()) {
    const table = kind === 'documents' ? kind : 'indexes';
    const range = { start: idBytes(id), end: after(idBytes(id)), limit: keysAtOnce };
    const clearSome = (): number => {
      const keys = [...environment[table].getKeys(range)];
      for (const k of keys) environment.remove(table, k);
      if (keys.length < keysAtOnce) environment.remove('catalog', key);
      return keys.length;
    };
    while ((await writes.submit(atOnce(clearSome))) === keysAtOnce);
  }
}

/** Drops indexes whose build was interrupted. Their creation was never acknowledged. */
export function dropUnfinished(catalog: Catalog): void {
  for (const collection of catalog.all())
    for (const index of collection.indexes) if (!index.ready) catalog.dropIndex(collection, index);
}
