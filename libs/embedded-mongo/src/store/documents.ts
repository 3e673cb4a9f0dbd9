import { MongoError, badValue } from '../errors';
import { NULL, int, objectId } from '../bson/make';
import { print } from '../bson/print';
import { T } from '../bson/types';
import { DocumentWriter, objectOf } from '../bson/write';
import { FieldReader, bytesOf, documentOf, getField, i32, type Val } from '../bson/value';
import type { IndexKeys } from '../keys/index-keys';
import { anyValue } from '../keys/path';
import type { Catalog } from './catalog';
import type { Collection, Index } from './collection';
import { NOTHING, documentKey, recordBytes, type Environment } from './environment';

export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
const ID = Buffer.from('_id');

/** Writes documents and their index keys. All of it runs inside a write transaction. */
export class Documents {
  constructor(
    private readonly environment: Environment,
    private readonly catalog: Catalog,
  ) {}

  read(c: Collection, record: number): Buffer | undefined {
    return this.environment.documents.get(documentKey(c.id, record));
  }

  /** Inserts a document and returns it as stored, with its _id in front. */
  insert(c: Collection, given: Val): Val {
    const doc = withIdFirst(given);
    checkSize(doc);
    checkId(getField(doc, ID)!);
    const keys = c.indexes.map((i) => keysFor(i, doc));
    c.indexes.forEach((index, n) => this.checkUnique(c, index, keys[n]!, -1, doc));
    const record = c.nextRecord++;
    this.environment.documents.putSync(documentKey(c.id, record), bytesOf(doc));
    const suffix = recordBytes(record);
    c.indexes.forEach((index, n) => this.addKeys(c, index, keys[n]!, suffix));
    c.count++;
    c.bytes += doc.end - doc.start;
    this.catalog.noteCount(c);
    return doc;
  }

  /** Replaces a document; only the index keys that differ are touched. */
  replace(c: Collection, record: number, before: Val, after: Val): void {
    checkSize(after);
    const changes: { index: Index; old: IndexKeys; fresh: IndexKeys }[] = [];
    for (const index of c.indexes) {
      if (!mayChange(index, before, after)) continue;
      const fresh = keysFor(index, after);
      this.checkUnique(c, index, fresh, record, after);
      changes.push({ index, old: keysFor(index, before), fresh });
    }
    this.environment.documents.putSync(documentKey(c.id, record), bytesOf(after));
    const suffix = recordBytes(record);
    for (const { index, old, fresh } of changes) {
      this.removeKeys(index, without(old, fresh.keys), suffix);
      this.addKeys(c, index, { ...fresh, keys: without(fresh, old.keys) }, suffix);
    }
    c.bytes += after.end - after.start - (before.end - before.start);
    this.catalog.noteCount(c);
  }

  remove(c: Collection, record: number, doc: Val): void {
    const suffix = recordBytes(record);
    for (const index of c.indexes) this.removeKeys(index, keysFor(index, doc).keys, suffix);
    this.environment.documents.removeSync(documentKey(c.id, record));
    c.count--;
    c.bytes -= doc.end - doc.start;
    this.catalog.noteCount(c);
  }

  /** Files an existing document in a new index. */
  file(c: Collection, index: Index, record: number, doc: Val): void {
    const keys = keysFor(index, doc);
    this.checkUnique(c, index, keys, record, doc);
    this.addKeys(c, index, keys, recordBytes(record));
  }

  private addKeys(c: Collection, index: Index, made: IndexKeys, suffix: Buffer): void {
    const { indexes } = this.environment;
    if (index.unique) for (const k of made.keys) indexes.putSync(k, suffix);
    else for (const k of made.keys) indexes.putSync(Buffer.concat([k, suffix]), NOTHING);
    const newlyMulti = made.multi.some((m, i) => m && !index.multi[i]);
    if (!newlyMulti && (!made.cut || index.cut)) return;
    index.multi = index.multi.map((m, i) => m || made.multi[i]!);
    index.cut ||= made.cut;
    this.catalog.save(c);
  }

  private removeKeys(index: Index, keys: readonly Buffer[], suffix: Buffer): void {
    const { indexes } = this.environment;
    if (index.unique) for (const k of keys) indexes.removeSync(k);
    else for (const k of keys) indexes.removeSync(Buffer.concat([k, suffix]));
  }

  private checkUnique(c: Collection, index: Index, made: IndexKeys, record: number, doc: Val): void {
    if (!index.unique) return;
    for (const k of made.keys) {
      const owner = this.environment.indexes.get(k);
      if (owner !== undefined && owner.readUIntBE(0, 6) !== record) throw duplicate(c, index, k, doc);
    }
  }
}

const NO_KEYS: IndexKeys = { keys: [], multi: [], cut: false };

/** The keys under which an index files a document: none when the index is sparse or partial and leaves it out. */
function keysFor(index: Index, doc: Val): IndexKeys {
  if (index.covers !== undefined && !index.covers(doc)) return NO_KEYS;
  if (index.spec.sparse && !index.fields.some((f) => anyValue(doc, f.path.segments, 0, isPresent, false))) {
    return NO_KEYS;
  }
  return index.maker.keysOf(doc);
}

const isPresent = (v: Val | undefined): boolean => v !== undefined;

function without(made: IndexKeys, others: readonly Buffer[]): Buffer[] {
  if (others.length === 0) return made.keys;
  const known = new Set(others.map((k) => k.toString('latin1')));
  return made.keys.filter((k) => !known.has(k.toString('latin1')));
}

/** Whether the fields that an index reads differ between two versions of a document. */
function mayChange(index: Index, before: Val, after: Val): boolean {
  if (index.covers !== undefined) return true;
  return index.fields.some((f) => {
    const name = f.path.segments[0]!.bytes;
    const a = getField(before, name);
    const b = getField(after, name);
    if (a === undefined || b === undefined) return a !== b;
    return a.type !== b.type || a.bytes.compare(b.bytes, b.start, b.end, a.start, a.end) !== 0;
  });
}

/** MongoDB keeps _id in front and makes one when there is none. */
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
  if (id.type === T.UNDEFINED) throw badValue("The '_id' value cannot be of type undefined");
}

function duplicate(c: Collection, index: Index, key: Buffer, doc: Val): MongoError {
  const values = index.maker.valuesBehind(doc, key);
  const keyValue = objectOf(index.spec.key.map(([name], i) => [name, values[i] ?? NULL]));
  const keyPattern = objectOf(index.spec.key.map(([name, direction]) => [name, int(direction)]));
  return new MongoError(
    11000,
    `E11000 duplicate key error collection: ${c.namespace} index: ${index.name} dup key: ${print(keyValue)}`,
    { keyPattern, keyValue },
  );
}
