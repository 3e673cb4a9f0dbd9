import { MongoError, badValue } from '../errors';
import { BsonType, classOf } from './types';

/**
 * A BSON value in place: its type byte and the range of its payload. It is decoded only on demand, so that a filter
 * reads only the fields it names, and an update copies unchanged fields verbatim.
 */
export class BsonValue {
  constructor(
    readonly type: number,
    readonly bytes: Buffer,
    readonly start: number,
    readonly end: number,
  ) {}

  get class(): number {
    return classOf(this.type);
  }
}

/** Little-endian int32 without the range check of readInt32LE, because documents are validated on arrival. */
export const i32 = (b: Buffer, p: number): number =>
  b[p]! | (b[p + 1]! << 8) | (b[p + 2]! << 16) | (b[p + 3]! << 24);

export const corrupt = (what: string): MongoError => new MongoError(22, `invalid BSON: ${what}`);

/** The index of the NUL that ends the cstring at p, or the end of the buffer. */
export function cstringEnd(b: Buffer, p: number): number {
  while (b[p]! > 0) p++;
  return p;
}

/** The end of the payload that starts at p. */
export function endOf(type: number, b: Buffer, p: number): number {
  switch (type) {
    case BsonType.object:
    case BsonType.array:
      return p + i32(b, p);
    case BsonType.string:
      return p + 4 + i32(b, p);
    case BsonType.int:
      return p + 4;
    case BsonType.double:
    case BsonType.date:
    case BsonType.long:
      return p + 8;
    case BsonType.bool:
      return p + 1;
    case BsonType.objectId:
      return p + 12;
    case BsonType.null:
      return p;
    case BsonType.binary:
      return p + 5 + i32(b, p);
    case BsonType.decimal:
      return p + 16;
    case BsonType.regex:
      return cstringEnd(b, cstringEnd(b, p) + 1) + 1;
    default:
      throw badValue(`this server does not support the BSON type ${type}`);
  }
}

/** The document that a buffer consists of. */
export const documentOf = (bytes: Buffer): BsonValue =>
  new BsonValue(BsonType.object, bytes, 0, bytes.length);

/** The bytes of a document or array, without copying them. */
export const bytesOf = (v: BsonValue): Buffer =>
  v.start === 0 && v.end === v.bytes.length ? v.bytes : v.bytes.subarray(v.start, v.end);

/** Iterates over the fields of a document or the elements of an array. */
export class FieldReader {
  type = 0;
  start = 0;
  end = 0;
  private nameStart = 0;
  private nameEnd = 0;
  private readonly b: Buffer;
  private position: number;
  private readonly limit: number;

  constructor(doc: BsonValue) {
    this.b = doc.bytes;
    this.position = doc.start + 4;
    this.limit = doc.end - 1;
  }

  next(): boolean {
    const p = this.position;
    if (p >= this.limit) return false;
    this.type = this.b[p]!;
    this.nameStart = p + 1;
    this.nameEnd = cstringEnd(this.b, p + 1);
    this.start = this.nameEnd + 1;
    this.position = this.end = endOf(this.type, this.b, this.start);
    return true;
  }

  get name(): string {
    return this.b.toString('utf8', this.nameStart, this.nameEnd);
  }

  /** The bytes of the name, without copying them. */
  get nameBytes(): Buffer {
    return this.b.subarray(this.nameStart, this.nameEnd);
  }

  get value(): BsonValue {
    return new BsonValue(this.type, this.b, this.start, this.end);
  }
}

/** The field with that name, or undefined if the document lacks it. */
export function getField(doc: BsonValue, name: Buffer): BsonValue | undefined {
  const b = doc.bytes;
  const n = name.length;
  const limit = doc.end - 1;
  let p = doc.start + 4;
  while (p < limit) {
    const type = b[p]!;
    let q = p + 1;
    let k = 0;
    while (k < n && b[q + k] === name[k]) k++;
    if (k === n && b[q + n] === 0) {
      const s = q + n + 1;
      return new BsonValue(type, b, s, endOf(type, b, s));
    }
    q = cstringEnd(b, q + k);
    p = endOf(type, b, q + 1);
  }
  return undefined;
}

/**
 * The same lookup with the name as a string. It allocates a buffer per call, so it is meant only for command options.
 */
export const field = (doc: BsonValue, name: string): BsonValue | undefined =>
  getField(doc, Buffer.from(name));

export function elementsOf(array: BsonValue): BsonValue[] {
  const out: BsonValue[] = [];
  const r = new FieldReader(array);
  while (r.next()) out.push(r.value);
  return out;
}

export function fieldsOf(doc: BsonValue): [string, BsonValue][] {
  const out: [string, BsonValue][] = [];
  const r = new FieldReader(doc);
  while (r.next()) out.push([r.name, r.value]);
  return out;
}

/** The name of the first field, or undefined for an empty document. */
export function firstFieldName(doc: BsonValue): string | undefined {
  const r = new FieldReader(doc);
  return r.next() ? r.name : undefined;
}

export const stringOf = (v: BsonValue): string => v.bytes.toString('utf8', v.start + 4, v.end - 1);
export const boolOf = (v: BsonValue): boolean => v.bytes[v.start] === 1;
