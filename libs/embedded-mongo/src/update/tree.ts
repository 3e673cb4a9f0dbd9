import { BsonType } from '../bson/types';
import { DocumentWriter } from '../bson/write';
import { FieldReader, BsonValue, documentOf } from '../bson/value';

/** A document in mutable form. Unchanged values remain encoded. */
export type Tree = BsonValue | ObjectTree | ArrayTree;

export class ObjectTree {
  readonly fields = new Map<string, Tree>();

  constructor(doc?: BsonValue) {
    if (doc === undefined) return;
    const r = new FieldReader(doc);
    while (r.next()) this.fields.set(r.name, r.value);
  }
}

export class ArrayTree {
  readonly items: Tree[] = [];

  constructor(array?: BsonValue) {
    if (array === undefined) return;
    const r = new FieldReader(array);
    while (r.next()) this.items.push(r.value);
  }
}

/** The mutable form of a document or array. Other values are returned unchanged. */
export function opened(t: Tree): Tree {
  if (!(t instanceof BsonValue)) return t;
  if (t.type === BsonType.object) return new ObjectTree(t);
  if (t.type === BsonType.array) return new ArrayTree(t);
  return t;
}

function write(w: DocumentWriter, name: string, t: Tree): void {
  if (t instanceof BsonValue) w.value(name, t);
  else if (t instanceof ObjectTree) {
    w.open(name);
    for (const [n, child] of t.fields) write(w, n, child);
    w.close();
  } else {
    w.openArray(name);
    t.items.forEach((child, i) => write(w, String(i), child));
    w.close();
  }
}

/** The encoded value. */
export function toVal(t: Tree): BsonValue {
  if (t instanceof BsonValue) return t;
  const w = new DocumentWriter();
  if (t instanceof ObjectTree) {
    for (const [n, child] of t.fields) write(w, n, child);
    return documentOf(w.finish());
  }
  t.items.forEach((child, i) => write(w, String(i), child));
  const b = w.finish();
  return new BsonValue(BsonType.array, b, 0, b.length);
}

/** A path component as an array index, or -1. */
export const positionOf = (name: string): number => (/^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : -1);
