import { MongoError, badValue } from '../errors';
import { NULL, int, objectId } from '../bson/make';
import { print } from '../bson/print';
import { T } from '../bson/types';
import { DocumentWriter, objectOf } from '../bson/write';
import { FieldReader, bytesOf, documentOf, fieldsOf, getField, i32, type Val } from '../bson/value';
import type { IndexKeys } from '../keys/index-keys';
import { KeyWriter } from '../keys/key-writer';
import { anyValue } from '../keys/path';
import type { Catalog } from './catalog';
import type { Collection, Index } from './collection';
import { NOTHING, RECORD_BYTES, documentKey, recordBytes, type Environment } from './environment';

export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
const ID = Buffer.from('_id');

/** Writes documents and their index keys. Only write jobs may call it. */
export class Documents {
  /** Contains the index keys of the document being written. */
  private readonly writer = new KeyWriter();

  constructor(
    private readonly environment: Environment,
    private readonly catalog: Catalog,
  ) {}

  read(c: Collection, record: number): Buffer | undefined {
    return this.environment.document(c, record);
  }

  /** Inserts a document. Returns it as stored, with _id as the first field. */
  insert(c: Collection, given: Val): Val {
    const doc = withIdFirst(given);
    checkSize(doc);
    checkId(getField(doc, ID)!);
    // All checks come before the first write, so that a rejected document leaves no trace.
    const record = c.nextRecord;
    const suffix = recordBytes(record);
    this.writer.reset();
    const made = c.indexes.map((i) => this.keysFor(i, doc, suffix));
    c.indexes.forEach((index, n) => this.checkUnique(c, index, made[n]!, -1, doc));
    c.nextRecord++;
    this.environment.putDocument(c, record, bytesOf(doc));
    c.indexes.forEach((index, n) => this.addKeys(c, index, made[n]!.keys, made[n]!, suffix));
    c.count++;
    c.bytes += doc.end - doc.start;
    this.catalog.noteCount(c);
    return doc;
  }

  /** Replaces a document. Only index keys that differ are written. */
  replace(c: Collection, record: number, before: Val, after: Val): void {
    checkSize(after);
    const suffix = recordBytes(record);
    this.writer.reset();
    const changes: { index: Index; old: IndexKeys; fresh: IndexKeys }[] = [];
    for (const index of c.indexes) {
      if (!index.mayFileDifferently(before, after)) continue;
      const fresh = this.keysFor(index, after, suffix);
      this.checkUnique(c, index, fresh, record, after);
      changes.push({ index, old: this.keysFor(index, before, suffix), fresh });
    }
    this.environment.putDocument(c, record, bytesOf(after));
    for (const { index, old, fresh } of changes) {
      this.removeKeys(without(old.keys, fresh.keys));
      this.addKeys(c, index, without(fresh.keys, old.keys), fresh, suffix);
    }
    c.bytes += after.end - after.start - (before.end - before.start);
    this.catalog.noteCount(c);
  }

  remove(c: Collection, record: number, doc: Val): void {
    const suffix = recordBytes(record);
    for (const index of c.indexes) {
      this.writer.reset();
      this.removeKeys(this.keysFor(index, doc, suffix).keys);
    }
    this.environment.remove('documents', documentKey(c.id, record));
    c.count--;
    c.bytes -= doc.end - doc.start;
    this.catalog.noteCount(c);
  }

  /** Adds an existing document to a new index. */
  file(c: Collection, index: Index, record: number, doc: Val): void {
    const suffix = recordBytes(record);
    this.writer.reset();
    const made = this.keysFor(index, doc, suffix);
    this.checkUnique(c, index, made, record, doc);
    this.addKeys(c, index, made.keys, made, suffix);
  }

  /** An index that is ready and lacks a key of a document. */
  indexWithout(c: Collection, record: number, doc: Val): Index | undefined {
    const suffix = recordBytes(record);
    this.writer.reset();
    return c.readyIndexes.find((index) =>
      this.keysFor(index, doc, suffix).keys.some((key) => !this.environment.indexes.doesExist(key)),
    );
  }

  /** The keys of a document in an index. None if the index is sparse or partial and does not include the document. */
  private keysFor(index: Index, doc: Val, suffix: Buffer): IndexKeys {
    if (index.covers !== undefined && !index.covers(doc)) return NO_KEYS;
    if (index.spec.sparse && !index.fields.some((f) => anyValue(doc, f.path.segments, 0, isPresent, false))) {
      return NO_KEYS;
    }
    return index.unique ? index.maker.keysOf(doc, this.writer) : index.maker.keysOf(doc, this.writer, suffix);
  }

  private addKeys(
    c: Collection,
    index: Index,
    keys: readonly Buffer[],
    made: IndexKeys,
    record: Buffer,
  ): void {
    const value = index.unique ? record : NOTHING;
    for (const k of keys) this.environment.put('indexes', k, value);
    const isNew =
      made.multi.some((m, i) => m && !index.multi[i]) || made.scalar.some((m, i) => m && !index.scalar[i]);
    if (!isNew && (!made.cut || index.cut)) return;
    index.multi = index.multi.map((m, i) => m || made.multi[i]!);
    index.scalar = index.scalar.map((m, i) => m || made.scalar[i]!);
    index.cut ||= made.cut;
    this.catalog.save(c);
  }

  private removeKeys(keys: readonly Buffer[]): void {
    for (const k of keys) this.environment.remove('indexes', k);
  }

  private checkUnique(c: Collection, index: Index, made: IndexKeys, record: number, doc: Val): void {
    if (!index.unique) return;
    for (const k of made.keys) {
      const owner = this.environment.indexes.get(k);
      if (owner !== undefined && owner.readUIntBE(0, RECORD_BYTES) !== record)
        throw duplicate(c, index, k, doc);
    }
  }
}

const NO_KEYS: IndexKeys = { keys: [], multi: [], scalar: [], cut: false };

const isPresent = (v: Val | undefined): boolean => v !== undefined;

/** The keys that are not in `others`. */
function without(keys: readonly Buffer[], others: readonly Buffer[]): readonly Buffer[] {
  if (others.length === 0) return keys;
  const known = new Set(others.map((k) => k.toString('latin1')));
  return keys.filter((k) => !known.has(k.toString('latin1')));
}

/** Moves _id to the front, or generates one, as MongoDB does. */
function withIdFirst(doc: Val): Val {
  const r = new FieldReader(doc);
  if (r.next() && r.nameBytes.equals(ID)) return doc;
  const id = getField(doc, ID);
  const w = new DocumentWriter();
  w.value('_id', id ?? objectId());
  if (id === undefined) return documentOf(w.raw(doc.bytes, doc.start + 4, doc.end - 1).finish());
  const idStart = id.start - ID.length - 2;
  w.raw(doc.bytes, doc.start + 4, idStart).raw(doc.bytes, id.end, doc.end - 1);
  return documentOf(w.finish());
}

export function checkSize(doc: Val): void {
  const size = i32(doc.bytes, doc.start);
  if (size > DOCUMENT_BYTES_MAX) {
    throw new MongoError(
      10334,
      `BSONObj size: ${size} is invalid. Size must be between 0 and ${DOCUMENT_BYTES_MAX}`,
    );
  }
}

function checkId(id: Val): void {
  if (id.type === T.ARRAY) throw badValue("The '_id' value cannot be of type array");
  if (id.type === T.REGEX) throw badValue("The '_id' value cannot be of type regex");
  const first = id.type === T.OBJECT ? fieldsOf(id).find(([name]) => name.startsWith('$')) : undefined;
  if (first !== undefined)
    throw new MongoError(
      52,
      `_id fields may not contain '$'-prefixed fields: ${first[0]} is not valid for storage.`,
    );
  if (id.type === T.UNDEFINED) throw badValue("The '_id' value cannot be of type undefined");
}

function duplicate(c: Collection, index: Index, key: Buffer, doc: Val): MongoError {
  const values = index.maker.valuesBehind(doc, Buffer.from(key), new KeyWriter());
  const keyValue = objectOf(index.spec.key.map(([name], i) => [name, values[i] ?? NULL]));
  const keyPattern = objectOf(index.spec.key.map(([name, direction]) => [name, int(direction)]));
  return new MongoError(
    11000,
    `E11000 duplicate key error collection: ${c.namespace} index: ${index.name} dup key: ${print(keyValue)}`,
    { keyPattern, keyValue },
  );
}
