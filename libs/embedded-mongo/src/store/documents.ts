import { MongoError, badValue } from '../errors';
import { nullValue, objectId } from '../bson/make';
import { print } from '../bson/print';
import { BsonType, typeName } from '../bson/types';
import { DocumentWriter, fromJs, objectOf } from '../bson/write';
import { FieldReader, bytesOf, documentOf, fieldsOf, getField, i32, type BsonValue } from '../bson/value';
import type { IndexKeys } from '../keys/index-keys';
import { KeyWriter } from '../keys/key-writer';
import type { Catalog } from './catalog';
import type { Collection, Index } from './collection';
import { nothing, recordSize, documentKey, recordBytes, type Environment } from './environment';

export const documentBytesMax = 16 * 1024 * 1024;
const idName = Buffer.from('_id');

/** Writes documents and their index keys. Only write jobs may call it. */
export class Documents {
  /** Contains the index keys of the document being written. */
  private readonly writer = new KeyWriter();

  constructor(
    private readonly environment: Environment,
    private readonly catalog: Catalog,
  ) {}

  read(collection: Collection, record: number): Buffer | undefined {
    return this.environment.document(collection, record);
  }

  /** Inserts a document. Returns it as stored, with _id as the first field. */
  insert(collection: Collection, given: BsonValue): BsonValue {
    const doc = withIdFirst(given);
    checkInsertedSize(doc);
    checkId(getField(doc, idName)!);
    // All checks come before the first write, so that a rejected document leaves no trace.
    const record = collection.nextRecord;
    const suffix = recordBytes(record);
    this.writer.reset();
    const made = collection.indexes.map((i) => this.keysFor(i, doc, suffix));
    collection.indexes.forEach((index, n) => this.checkUnique(collection, index, doc, made[n]!, -1));
    collection.nextRecord++;
    this.environment.putDocument(collection, record, bytesOf(doc));
    collection.indexes.forEach((index, n) =>
      this.addKeys(collection, index, made[n]!.keys, made[n]!, suffix),
    );
    collection.count++;
    collection.bytes += doc.end - doc.start;
    this.catalog.noteCount(collection);
    return doc;
  }

  /** Replaces a document. Only index keys that differ are written. */
  replace(collection: Collection, record: number, before: BsonValue, after: BsonValue): void {
    if (after.end - after.start > documentBytesMax)
      throw new MongoError(17419, `Resulting document after update is larger than ${documentBytesMax}`);
    const suffix = recordBytes(record);
    this.writer.reset();
    const changes: { index: Index; old: IndexKeys; fresh: IndexKeys }[] = [];
    for (const index of collection.indexes) {
      if (!index.mayFileDifferently(before, after)) continue;
      const fresh = this.keysFor(index, after, suffix);
      this.checkUnique(collection, index, after, fresh, record);
      changes.push({ index, old: this.keysFor(index, before, suffix), fresh });
    }
    this.environment.putDocument(collection, record, bytesOf(after));
    for (const { index, old, fresh } of changes) {
      this.removeKeys(without(old.keys, fresh.keys));
      this.addKeys(collection, index, without(fresh.keys, old.keys), fresh, suffix);
    }
    collection.bytes += after.end - after.start - (before.end - before.start);
    this.catalog.noteCount(collection);
  }

  remove(collection: Collection, record: number, doc: BsonValue): void {
    const suffix = recordBytes(record);
    for (const index of collection.indexes) {
      this.writer.reset();
      this.removeKeys(this.keysFor(index, doc, suffix).keys);
    }
    this.environment.remove('documents', documentKey(collection.id, record));
    collection.count--;
    collection.bytes -= doc.end - doc.start;
    this.catalog.noteCount(collection);
  }

  /** Adds an existing document to a new index. */
  file(collection: Collection, index: Index, record: number, doc: BsonValue): void {
    const suffix = recordBytes(record);
    this.writer.reset();
    const made = this.keysFor(index, doc, suffix);
    this.checkUnique(collection, index, doc, made, record);
    this.addKeys(collection, index, made.keys, made, suffix);
  }

  /** A ready index that lacks a key of a document. */
  indexWithout(collection: Collection, record: number, doc: BsonValue): Index | undefined {
    const suffix = recordBytes(record);
    this.writer.reset();
    return collection.readyIndexes.find((index) =>
      this.keysFor(index, doc, suffix).keys.some((key) => !this.environment.indexes.doesExist(key)),
    );
  }

  /** The keys of a document in an index. There are none if the index is partial and does not include the document. */
  private keysFor(index: Index, doc: BsonValue, suffix: Buffer): IndexKeys {
    if (index.covers !== undefined && !index.covers(doc)) return noKeys;
    return index.unique ? index.maker.keysOf(doc, this.writer) : index.maker.keysOf(doc, this.writer, suffix);
  }

  private addKeys(
    collection: Collection,
    index: Index,
    keys: readonly Buffer[],
    made: IndexKeys,
    record: Buffer,
  ): void {
    const value = index.unique ? record : nothing;
    for (const k of keys) this.environment.put('indexes', k, value);
    const isNew = made.multi.some((m, i) => m && !index.multi[i]);
    if (!isNew && (!made.cut || index.cut)) return;
    index.multi = index.multi.map((m, i) => m || made.multi[i]!);
    index.cut ||= made.cut;
    this.catalog.save(collection);
  }

  private removeKeys(keys: readonly Buffer[]): void {
    for (const k of keys) this.environment.remove('indexes', k);
  }

  private checkUnique(
    { namespace }: Collection,
    index: Index,
    doc: BsonValue,
    made: IndexKeys,
    record: number,
  ): void {
    if (!index.unique) return;
    made.keys.forEach((key, n) => {
      const owner = this.environment.indexes.get(key);
      if (owner !== undefined && owner.readUIntBE(0, recordSize) !== record)
        throw duplicate(namespace, index, index.maker.valuesOf(doc, n));
    });
  }
}

const noKeys: IndexKeys = { keys: [], multi: [], cut: false };

/** The keys that are not in `others`. */
function without(keys: readonly Buffer[], others: readonly Buffer[]): readonly Buffer[] {
  if (others.length === 0) return keys;
  const known = new Set(others.map((k) => k.toString('latin1')));
  return keys.filter((k) => !known.has(k.toString('latin1')));
}

/** Moves _id to the front, or generates one, as MongoDB does. */
function withIdFirst(doc: BsonValue): BsonValue {
  const r = new FieldReader(doc);
  if (r.next() && r.nameBytes.equals(idName)) return doc;
  const id = getField(doc, idName);
  const w = new DocumentWriter();
  w.value('_id', id ?? objectId());
  if (id === undefined) return documentOf(w.raw(doc.bytes, doc.start + 4, doc.end - 1).finish());
  const idStart = id.start - idName.length - 2;
  w.raw(doc.bytes, doc.start + 4, idStart).raw(doc.bytes, id.end, doc.end - 1);
  return documentOf(w.finish());
}

/** A message may be larger than a document by this much. */
const messageBytesMore = 16 * 1024;

/** @throws code 10334 for a document that MongoDB does not even read, and code 2 for any other that is too large */
function checkInsertedSize(doc: BsonValue): void {
  const size = i32(doc.bytes, doc.start);
  if (size > documentBytesMax + messageBytesMore)
    throw new MongoError(
      10334,
      `BSONObj size: ${size} is invalid. Size must be between 0 and ${documentBytesMax + messageBytesMore}`,
    );
  if (size > documentBytesMax)
    throw badValue(`object to insert too large. size in bytes: ${size}, max size: ${documentBytesMax}`);
}

function checkId(id: BsonValue): void {
  if (id.type === BsonType.array || id.type === BsonType.regex)
    throw new MongoError(53, `The '_id' value cannot be of type ${typeName(id.type)}`);
  const first = id.type === BsonType.object ? fieldsOf(id).find(([name]) => name.startsWith('$')) : undefined;
  if (first !== undefined)
    throw new MongoError(
      52,
      `_id fields may not contain '$'-prefixed fields: ${first[0]} is not valid for storage.`,
    );
}

/** @param values those of the index's fields in the key that already exists; a missing field counts as null */
function duplicate(
  namespace: string,
  { name, spec }: Index,
  values: readonly (BsonValue | undefined)[],
): MongoError {
  const fields = spec.key.map(([field], i) => [field, values[i] ?? nullValue] as const);
  const printed = fields.map(([field, value]) => `${field}: ${print(value)}`).join(', ');
  return new MongoError(
    11000,
    `E11000 duplicate key error collection: ${namespace} index: ${name} dup key: { ${printed} }`,
    {
      keyPattern: objectOf(spec.key.map(([field, direction]) => [field, fromJs(direction)])),
      keyValue: objectOf(fields),
    },
  );
}
