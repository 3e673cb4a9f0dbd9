import { MongoError } from '../errors';
import { numberOf } from '../bson/number';
import { arrayOf, encode, fromJs, objectOf } from '../bson/write';
import { boolOf, documentOf, elementsOf, field, fieldsOf, stringOf, type BsonValue } from '../bson/value';
import { pathOf } from '../keys/path';
import { Collection, Index, newUuid, type IndexSpec, type IndexState } from './collection';
import type { Environment } from './environment';

const nextIdKey = Buffer.from('next-id');
const collectionPrefix = 'collection:';
const countPrefix = 'count:';
const garbagePrefix = 'garbage:';
const countBytes = 24;

export const idIndexSpec: IndexSpec = {
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
    this.nextId = Number(catalog.get(nextIdKey)?.readUInt32BE(0) ?? 1);
    for (const { key, value } of catalog.getRange({
      start: Buffer.from(collectionPrefix),
      end: Buffer.from('collection;'),
    })) {
      const collection = readCollection(
        Buffer.from(key).toString().slice(collectionPrefix.length),
        documentOf(Buffer.from(value)),
      );
      const count = catalog.get(countKey(collection.id));
      if (count !== undefined) {
        collection.nextRecord = count.readDoubleBE(0);
        collection.count = count.readDoubleBE(8);
        collection.bytes = count.readDoubleBE(16);
      }
      this.collections.set(collection.namespace, collection);
    }
    for (const collection of before.values()) collection.dropped = true;
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
    this.environment.put('catalog', nextIdKey, b);
    return id;
  }

  /** Returns the collection, and creates it if it does not exist. */
  ensure(namespace: string): Collection {
    const known = this.collections.get(namespace);
    if (known) return known;
    checkNamespace(namespace);
    const collection = new Collection(namespace, this.newId(), newUuid());
    collection.indexes = [makeIndex(this.newId(), idIndexSpec, { ready: true })];
    this.collections.set(namespace, collection);
    this.save(collection);
    this.noteCount(collection);
    return collection;
  }

  /** Adds an index that is not ready for queries yet. */
  addIndex(collection: Collection, spec: IndexSpec): Index {
    const index = makeIndex(this.newId(), spec, { ready: false });
    collection.indexes = [...collection.indexes, index];
    this.save(collection);
    return index;
  }

  dropIndex(collection: Collection, index: Index): void {
    index.ready = false;
    collection.indexes = collection.indexes.filter((i) => i !== index);
    this.save(collection);
    this.addGarbage('index', index.id);
  }

  dropCollection(collection: Collection): void {
    collection.dropped = true;
    this.changedIn = this.environment.group;
    this.collections.delete(collection.namespace);
    this.counted.delete(collection);
    this.environment.remove('catalog', Buffer.from(collectionPrefix + collection.namespace));
    this.environment.remove('catalog', countKey(collection.id));
    this.addGarbage('documents', collection.id);
    for (const index of collection.indexes) this.addGarbage('index', index.id);
  }

  /** Stores a collection's definition. */
  save(collection: Collection): void {
    this.changedIn = this.environment.group;
    this.environment.put(
      'catalog',
      Buffer.from(collectionPrefix + collection.namespace),
      writeCollection(collection),
    );
  }

  /** Marks a collection whose counts changed. They are stored once per log record, by `writeCounts`. */
  noteCount(collection: Collection): void {
    collection.changedIn = this.environment.group;
    this.counted.add(collection);
  }

  writeCounts(): void {
    for (const collection of this.counted) {
      const b = Buffer.alloc(countBytes);
      b.writeDoubleBE(collection.nextRecord, 0);
      b.writeDoubleBE(collection.count, 8);
      b.writeDoubleBE(collection.bytes, 16);
      this.environment.put('catalog', countKey(collection.id), b);
    }
    this.counted.clear();
  }

  private addGarbage(kind: 'documents' | 'index', id: number): void {
    this.environment.put('catalog', Buffer.from(`${garbagePrefix}${kind}:${id}`), Buffer.from([1]));
  }

  /** The data of dropped collections and indexes that must still be deleted. */
  garbage(): { key: Buffer; kind: 'documents' | 'index'; id: number }[] {
    const out: { key: Buffer; kind: 'documents' | 'index'; id: number }[] = [];
    const range = { start: Buffer.from(garbagePrefix), end: Buffer.from('garbage;') };
    for (const k of this.environment.catalog.getKeys(range)) {
      const key = Buffer.from(k);
      const [, kind, id] = key.toString().split(':');
      out.push({ key, kind: kind as 'documents' | 'index', id: Number(id) });
    }
    return out;
  }
}

const countKey = (id: number): Buffer => Buffer.from(countPrefix + id);

export function makeIndex(id: number, spec: IndexSpec, state: IndexState): Index {
  const fields = spec.key.map(([name, direction]) => ({ path: pathOf(name), descending: direction < 0 }));
  return new Index(id, spec, state, fields);
}

/** The index in the format of listIndexes. */
export function indexDocument({ spec }: Pick<Index, 'spec'>): [string, BsonValue][] {
  const out: [string, BsonValue][] = [
    ['v', fromJs(2)],
    ['key', objectOf(spec.key.map(([name, direction]) => [name, fromJs(direction)]))],
    ['name', fromJs(spec.name)],
  ];
  if (spec.unique && spec.name !== idIndexSpec.name) out.push(['unique', fromJs(true)]);
  if (spec.sparse) out.push(['sparse', fromJs(true)]);
  if (spec.partial) out.push(['partialFilterExpression', spec.partial]);
  if (spec.expireAfterSeconds !== undefined)
    out.push(['expireAfterSeconds', fromJs(spec.expireAfterSeconds)]);
  return out;
}

function writeCollection(collection: Collection): Buffer {
  const indexes = collection.indexes.map((i) =>
    objectOf([
      ...indexDocument(i),
      ['id', fromJs(i.id)],
      ['multi', fromJs(i.multi)],
      ['cut', fromJs(i.cut)],
      ['ready', fromJs(i.ready)],
    ]),
  );
  return encode({ id: collection.id, uuid: collection.uuid, indexes: arrayOf(indexes) });
}

function readCollection(namespace: string, doc: BsonValue): Collection {
  const collection = new Collection(namespace, numberOf(field(doc, 'id')!), field(doc, 'uuid')!);
  collection.indexes = elementsOf(field(doc, 'indexes')!).map(readIndex);
  return collection;
}

function readIndex(doc: BsonValue): Index {
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
  const multi = elementsOf(field(doc, 'multi')!).map(boolOf);
  const state = { multi, cut: flag('cut'), ready: flag('ready') };
  return makeIndex(numberOf(field(doc, 'id')!), spec, state);
}

const namespaceBytesMax = 255;

function checkNamespace(namespace: string): void {
  const dot = namespace.indexOf('.');
  const name = namespace.slice(dot + 1);
  const wrong = dot < 1 || name === '' || name.startsWith('.') || name.includes('$') || name.includes('\0');
  if (wrong || Buffer.byteLength(namespace) > namespaceBytesMax) {
    throw new MongoError(73, `Invalid namespace specified '${namespace}'`);
  }
}
