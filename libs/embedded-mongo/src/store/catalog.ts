import { MongoError } from '../errors';
import { numberOf } from '../bson/number';
import { arrayOf, encode, fromJs, objectOf } from '../bson/write';
import { boolOf, documentOf, elementsOf, field, fieldsOf, stringOf, type Val } from '../bson/value';
import { pathOf } from '../keys/path';
import { Collection, Index, newUuid, type IndexSpec, type IndexState } from './collection';
import type { Environment } from './environment';

const NEXT_ID_KEY = Buffer.from('next-id');
const COLLECTION_PREFIX = 'collection:';
const COUNT_PREFIX = 'count:';
const GARBAGE_PREFIX = 'garbage:';
const COUNT_BYTES = 24;

export const ID_INDEX: IndexSpec = {
  name: '_id_',
  key: [['_id', 1]],
  unique: true,
  sparse: false,
  partial: undefined,
  expireAfterSeconds: undefined,
};

/** The collections and indexes. Only write jobs may change it. */
export class Catalog {
  private collections = new Map<string, Collection>();
  private nextId = 1;
  private readonly counted = new Set<Collection>();
  /** The number of the group of writes that last changed the set of collections or indexes. */
  changedIn = 0;

  constructor(private readonly environment: Environment) {
    this.load();
  }

  /** Loads the catalog from LMDB, at startup and after a recovery. */
  load(): void {
    const { catalog } = this.environment;
    const before = this.collections;
    this.collections = new Map();
    this.counted.clear();
    this.nextId = Number(catalog.get(NEXT_ID_KEY)?.readUInt32BE(0) ?? 1);
    for (const { key, value } of catalog.getRange({
      start: Buffer.from(COLLECTION_PREFIX),
      end: Buffer.from('collection;'),
    })) {
      const c = readCollection(
        Buffer.from(key).toString().slice(COLLECTION_PREFIX.length),
        documentOf(Buffer.from(value)),
      );
      const count = catalog.get(countKey(c.id));
      if (count !== undefined) {
        c.nextRecord = count.readDoubleBE(0);
        c.count = count.readDoubleBE(8);
        c.bytes = count.readDoubleBE(16);
      }
      this.collections.set(c.namespace, c);
    }
    for (const c of before.values()) c.dropped = true;
  }

  get(namespace: string): Collection | undefined {
    return this.collections.get(namespace);
  }

  all(): IterableIterator<Collection> {
    return this.collections.values();
  }

  private newId(): number {
    const id = this.nextId++;
    const b = Buffer.alloc(4);
    b.writeUInt32BE(this.nextId);
    this.environment.put('catalog', NEXT_ID_KEY, b);
    return id;
  }

  /** Returns the collection, and creates it if it does not exist. */
  ensure(namespace: string): Collection {
    const known = this.collections.get(namespace);
    if (known) return known;
    checkNamespace(namespace);
    const c = new Collection(namespace, this.newId(), newUuid());
    c.indexes = [makeIndex(this.newId(), ID_INDEX, { ready: true })];
    this.collections.set(namespace, c);
    this.save(c);
    this.noteCount(c);
    return c;
  }

  /** Adds an index that is not ready for queries yet. */
  addIndex(c: Collection, spec: IndexSpec): Index {
    const index = makeIndex(this.newId(), spec, { ready: false });
    c.indexes = [...c.indexes, index];
    this.save(c);
    return index;
  }

  dropIndex(c: Collection, index: Index): void {
    index.ready = false;
    c.indexes = c.indexes.filter((i) => i !== index);
    this.save(c);
    this.addGarbage('index', index.id);
  }

  dropCollection(c: Collection): void {
    c.dropped = true;
    this.changedIn = this.environment.group;
    this.collections.delete(c.namespace);
    this.counted.delete(c);
    this.environment.remove('catalog', Buffer.from(COLLECTION_PREFIX + c.namespace));
    this.environment.remove('catalog', countKey(c.id));
    this.addGarbage('documents', c.id);
    for (const index of c.indexes) this.addGarbage('index', index.id);
  }

  /** Stores a collection's definition. */
  save(c: Collection): void {
    this.changedIn = this.environment.group;
    this.environment.put('catalog', Buffer.from(COLLECTION_PREFIX + c.namespace), writeCollection(c));
  }

  /** Marks a collection whose counts changed. They are stored once per log record, by `writeCounts`. */
  noteCount(c: Collection): void {
    c.changedIn = this.environment.group;
    this.counted.add(c);
  }

  writeCounts(): void {
    for (const c of this.counted) {
      const b = Buffer.alloc(COUNT_BYTES);
      b.writeDoubleBE(c.nextRecord, 0);
      b.writeDoubleBE(c.count, 8);
      b.writeDoubleBE(c.bytes, 16);
      this.environment.put('catalog', countKey(c.id), b);
    }
    this.counted.clear();
  }

  private addGarbage(kind: 'documents' | 'index', id: number): void {
    this.environment.put('catalog', Buffer.from(`${GARBAGE_PREFIX}${kind}:${id}`), Buffer.from([1]));
  }

  /** The data of dropped collections and indexes that must still be deleted. */
  garbage(): { key: Buffer; kind: 'documents' | 'index'; id: number }[] {
    const out: { key: Buffer; kind: 'documents' | 'index'; id: number }[] = [];
    const range = { start: Buffer.from(GARBAGE_PREFIX), end: Buffer.from('garbage;') };
    for (const k of this.environment.catalog.getKeys(range)) {
      const key = Buffer.from(k);
      const [, kind, id] = key.toString().split(':');
      out.push({ key, kind: kind as 'documents' | 'index', id: Number(id) });
    }
    return out;
  }
}

const countKey = (id: number): Buffer => Buffer.from(COUNT_PREFIX + id);

export function makeIndex(id: number, spec: IndexSpec, state: IndexState): Index {
  const fields = spec.key.map(([name, direction]) => ({ path: pathOf(name), descending: direction < 0 }));
  return new Index(id, spec, state, fields);
}

/** The index in the format of listIndexes. */
export function indexDocument(i: Index): [string, Val][] {
  const out: [string, Val][] = [
    ['v', fromJs(2)],
    ['key', objectOf(i.spec.key.map(([name, direction]) => [name, fromJs(direction)]))],
    ['name', fromJs(i.name)],
  ];
  if (i.unique && i.name !== '_id_') out.push(['unique', fromJs(true)]);
  if (i.spec.sparse) out.push(['sparse', fromJs(true)]);
  if (i.spec.partial) out.push(['partialFilterExpression', i.spec.partial]);
  if (i.spec.expireAfterSeconds !== undefined)
    out.push(['expireAfterSeconds', fromJs(i.spec.expireAfterSeconds)]);
  return out;
}

function writeCollection(c: Collection): Buffer {
  const indexes = c.indexes.map((i) =>
    objectOf([
      ...indexDocument(i),
      ['id', fromJs(i.id)],
      ['multi', fromJs(i.multi)],
      ['scalar', fromJs(i.scalar)],
      ['cut', fromJs(i.cut)],
      ['ready', fromJs(i.ready)],
    ]),
  );
  return encode({ id: c.id, uuid: c.uuid, indexes: arrayOf(indexes) });
}

function readCollection(namespace: string, doc: Val): Collection {
  const c = new Collection(namespace, numberOf(field(doc, 'id')!), field(doc, 'uuid')!);
  c.indexes = elementsOf(field(doc, 'indexes')!).map(readIndex);
  return c;
}

function readIndex(doc: Val): Index {
  const flag = (name: string): boolean => {
    const v = field(doc, name);
    return v !== undefined && boolOf(v);
  };
  const name = stringOf(field(doc, 'name')!);
  const expire = field(doc, 'expireAfterSeconds');
  const spec: IndexSpec = {
    name,
    key: fieldsOf(field(doc, 'key')!).map(([n, v]) => [n, numberOf(v)]),
    unique: flag('unique') || name === '_id_',
    sparse: flag('sparse'),
    partial: field(doc, 'partialFilterExpression'),
    expireAfterSeconds: expire && numberOf(expire),
  };
  const flags = (name: string): boolean[] => elementsOf(field(doc, name)!).map(boolOf);
  const state = { multi: flags('multi'), scalar: flags('scalar'), cut: flag('cut'), ready: flag('ready') };
  return makeIndex(numberOf(field(doc, 'id')!), spec, state);
}

const NAMESPACE_BYTES_MAX = 255;

function checkNamespace(namespace: string): void {
  const dot = namespace.indexOf('.');
  const name = namespace.slice(dot + 1);
  const wrong = dot < 1 || name === '' || name.startsWith('.') || name.includes('$') || name.includes('\0');
  if (wrong || Buffer.byteLength(namespace) > NAMESPACE_BYTES_MAX) {
    throw new MongoError(73, `Invalid namespace specified '${namespace}'`);
  }
}
