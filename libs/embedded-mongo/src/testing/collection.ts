import { rmSync } from 'node:fs';
import type { Document } from 'bson';
import { bytesOf, documentOf, type BsonValue } from '../bson/value';
import { atOnce } from '../commands/collections';
import { countMatches } from '../commands/count';
import { Cursors } from '../commands/cursors';
import type { Engine } from '../commands/engine';
import { parseIndexSpec } from '../commands/index-spec';
import { choosePlan } from '../plan/choose';
import { execute } from '../plan/execute';
import type { Plan, Query } from '../plan/plan';
import { Progress } from '../plan/progress';
import { compileFilter } from '../query/match';
import { parseFilter } from '../query/parse';
import { parseSort, sortKey } from '../query/sort';
import { Catalog } from '../store/catalog';
import { Documents } from '../store/documents';
import { idSize, recordSize, recordMax, documentKey } from '../store/environment';
import { Storage } from '../store/storage';
import { WriteQueue } from '../store/write-queue';
import { applyUpdate, parseUpdate } from '../update/update';
import { doc, plain, val } from './documents';
import { temporaryFolder } from './server';

/** A collection without sockets and commands, for tests with thousands of queries. */
export class BareCollection {
  private static count = 0;
  private readonly namespace = `test.c${++BareCollection.count}`;

  constructor(private readonly engine: Engine) {}

  private write<T>(run: () => T): Promise<T> {
    return this.engine.writes.submit(atOnce(run));
  }

  insert(docs: readonly Document[]): Promise<void> {
    return this.write(() => {
      const collection = this.engine.catalog.ensure(this.namespace);
      for (const d of docs) this.engine.documents.insert(collection, doc(d));
    });
  }

  createIndexes(specs: readonly Document[]): Promise<void> {
    return this.write(() => {
      const { catalog, documents, environment } = this.engine;
      const collection = catalog.ensure(this.namespace);
      for (const spec of specs) {
        const index = catalog.addIndex(collection, parseIndexSpec(val(spec)));
        const range = { start: documentKey(collection.id, 0), end: documentKey(collection.id, recordMax) };
        for (const { key, value } of environment.documents.getRange(range)) {
          const bson = environment.opened(collection, key, value);
          documents.file(collection, index, key.readUIntBE(idSize, recordSize), documentOf(bson));
        }
        index.ready = true;
      }
    });
  }

  query(
    filter: Document,
    options: { sort?: Document; skip?: number; limit?: number; hint?: string } = {},
  ): Query {
    return {
      filter: parseFilter(doc(filter)),
      sort: options.sort && parseSort(doc(options.sort)),
      skip: options.skip ?? 0,
      limit: options.limit ?? 0,
      hint: options.hint === undefined ? undefined : { kind: 'name', name: options.hint },
    };
  }

  plan(q: Query): Plan {
    return choosePlan(this.engine.environment, this.engine.catalog.get(this.namespace), q);
  }

  find(q: Query, progress = new Progress()): BsonValue[] {
    const out: BsonValue[] = [];
    for (const hit of execute(this.engine.environment, this.plan(q), progress)) {
      if (hit === undefined) progress.pause();
      else out.push(documentOf(hit.raw));
    }
    progress.pause();
    return out;
  }

  /** The result of a query that reads all documents, without skip and limit. */
  scan({ filter, sort }: Query): BsonValue[] {
    const matches = compileFilter(filter);
    const found = this.find(this.query({})).filter(matches);
    if (sort === undefined) return found;
    return found.sort((a, b) => sortKey(sort, a).compare(sortKey(sort, b)));
  }

  scannedIds(q: Query): number[] {
    return idsOf(this.scan(q));
  }

  ids(q: Query): number[] {
    return idsOf(this.find(q));
  }

  count(q: Query, progress = new Progress()): Promise<number> {
    return countMatches(this.engine, this.namespace, q, progress);
  }

  update(filter: Document, update: Document): Promise<void> {
    return this.write(() => {
      const collection = this.engine.catalog.get(this.namespace)!;
      const q = this.query(filter, { limit: 1 });
      const progress = new Progress();
      const [hit] = [...execute(this.engine.environment, this.plan(q), progress)];
      progress.pause();
      if (!hit) return;
      const before = documentOf(hit.raw);
      const parsed = parseUpdate(val(update));
      const after = applyUpdate(before, parsed, false);
      if (!bytesOf(after).equals(bytesOf(before)))
        this.engine.documents.replace(collection, hit.record, before, after);
    });
  }

  remove(filter: Document): Promise<void> {
    return this.write(() => {
      const collection = this.engine.catalog.get(this.namespace)!;
      const progress = new Progress();
      const q = this.query(filter);
      const hits = [...execute(this.engine.environment, this.plan(q), progress)];
      progress.pause();
      for (const hit of hits)
        if (hit) this.engine.documents.remove(collection, hit.record, documentOf(hit.raw));
    });
  }
}

const idsOf = (documents: readonly BsonValue[]): number[] =>
  documents.map((d) => (plain(d) as { _id: number })._id);

export interface BareEngine {
  readonly engine: Engine;
  stop(): Promise<void>;
}

export async function startBareEngine(): Promise<BareEngine> {
  const folder = temporaryFolder();
  const storage = await Storage.open(folder);
  const { environment } = storage;
  const catalog = new Catalog(environment);
  const writes = new WriteQueue(storage, catalog);
  const engine: Engine = {
    environment,
    catalog,
    documents: new Documents(environment, catalog),
    writes,
    cursors: new Cursors(),
    scram: undefined,
  };
  return {
    engine,
    stop: async () => {
      await writes.close();
      await storage.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
