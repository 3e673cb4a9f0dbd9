import { falseValue, nullValue, trueValue, date, double, int, long, string } from './make';
import { BsonType } from './types';
import { BsonValue, documentOf } from './value';

const startBytes = 512;
const utf8BytesMax = 3;
/** The number of bytes of a document's length field and terminator. */
export const documentOverhead = 5;

/** The maximum number of bytes that an element needs. */
export const elementBytes = (name: string, { start, end }: BsonValue): number =>
  name.length * utf8BytesMax + 2 + end - start;

/** Builds a document, field by field, in a single buffer. */
export class DocumentWriter {
  private b: Buffer;
  private n = 4;
  private readonly starts: number[] = [0];

  constructor(expectedBytes = startBytes) {
    this.b = Buffer.allocUnsafe(expectedBytes);
  }

  private room(more: number): void {
    if (this.n + more <= this.b.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.b.length * 2, this.n + more));
    this.b.copy(grown, 0, 0, this.n);
    this.b = grown;
  }

  private name(type: number, name: string): void {
    this.room(name.length * utf8BytesMax + 2);
    this.b[this.n++] = type;
    this.n += this.b.write(name, this.n);
    this.b[this.n++] = 0;
  }

  value(name: string, v: BsonValue): this {
    this.name(v.type, name);
    this.room(v.end - v.start);
    this.n += v.bytes.copy(this.b, this.n, v.start, v.end);
    return this;
  }

  /** Writes a value whose payload is a whole buffer. */
  element(type: number, name: string, payload: Buffer): this {
    this.name(type, name);
    return this.raw(payload, 0, payload.length);
  }

  /** Opens an embedded document. Fields are written to it until close() is called. */
  open(name: string, type: number = BsonType.object): this {
    this.name(type, name);
    this.starts.push(this.n);
    this.room(4);
    this.n += 4;
    return this;
  }

  openArray(name: string): this {
    return this.open(name, BsonType.array);
  }

  close(): this {
    this.room(1);
    this.b[this.n++] = 0;
    const start = this.starts.pop()!;
    this.b.writeInt32LE(this.n - start, start);
    return this;
  }

  /** Copies complete elements: type byte, name and payload. */
  raw(bytes: Buffer, start: number, end: number): this {
    this.room(end - start);
    this.n += bytes.copy(this.b, this.n, start, end);
    return this;
  }

  /** Closes the outermost document and returns its bytes. */
  finish(): Buffer {
    this.close();
    return this.b.subarray(0, this.n);
  }
}

/** The input of fromJs. 32-bit integers become int, other numbers double; bigint becomes long. */
export type Plain =
  | BsonValue
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | readonly Plain[]
  | { readonly [name: string]: Plain | undefined };

/** Encodes a plain object as a document. Fields that are undefined are omitted. */
export function encode(fields: Readonly<Record<string, Plain | undefined>>): Buffer {
  const w = new DocumentWriter();
  for (const name of Object.keys(fields)) {
    const v = fields[name];
    if (v !== undefined) w.value(name, fromJs(v));
  }
  return w.finish();
}

export function fromJs(v: Plain): BsonValue {
  if (v === null) return nullValue;
  if (v instanceof BsonValue) return v;
  if (typeof v === 'string') return string(v);
  if (typeof v === 'number') {
    return Number.isInteger(v) && Math.abs(v) < 2 ** 31 && !Object.is(v, -0) ? int(v) : double(v);
  }
  if (typeof v === 'bigint') return long(v);
  if (typeof v === 'boolean') return v ? trueValue : falseValue;
  if (v instanceof Date) return date(v.getTime());
  if (Array.isArray(v)) return arrayOf((v as readonly Plain[]).map(fromJs));
  return documentOf(encode(v as Readonly<Record<string, Plain | undefined>>));
}

export function arrayOf(values: readonly BsonValue[]): BsonValue {
  const w = new DocumentWriter();
  values.forEach((v, i) => w.value(String(i), v));
  const b = w.finish();
  return new BsonValue(BsonType.array, b, 0, b.length);
}

export function objectOf(fields: readonly (readonly [string, BsonValue])[]): BsonValue {
  const w = new DocumentWriter();
  for (const [name, v] of fields) w.value(name, v);
  return documentOf(w.finish());
}
