import { numberOf, longOf } from '../bson/number';
import { CanonicalType, BsonType, classOf } from '../bson/types';
import { FieldReader, i32, type BsonValue } from '../bson/value';
import { shortBytes, copyBytes } from './copy-bytes';

/**
 * Encodes values so that the order of the bytes is MongoDB's order of the values. Every encoding is self-delimiting, so
 * that values can be concatenated in a compound key. A value is encoded as its class byte, followed by:
 *
 *  number      the double at or below it, in sortable form; then 0, or 1 and the remainder of a large integer
 *  string      UTF-8 with 00 as 00 FF, terminated by 00 01
 *  object      per field: class byte of the value, name as a string, payload; terminated by 0
 *  array       its elements; terminated by 0
 *  others      their bytes, lengths first, integers big-endian with the sign bit flipped
 */
export class KeyWriter {
  private b = Buffer.allocUnsafe(1 << 16);
  private n = 0;

  get length(): number {
    return this.n;
  }

  reset(length = 0): void {
    this.n = length;
  }

  /** A copy of the contents from `start`. */
  take(start = 0): Buffer {
    return Buffer.from(this.b.subarray(start, this.n));
  }

  /** The contents from `start` to `end`, valid until the writer is reset or its buffer grows. */
  view(start: number, end: number): Buffer {
    return this.b.subarray(start, end);
  }

  private room(more: number): void {
    if (this.n + more <= this.b.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.b.length * 2, this.n + more));
    this.b.copy(grown, 0, 0, this.n);
    this.b = grown;
  }

  bytes(source: Buffer, start = 0, end = source.length): void {
    this.room(end - start);
    copyBytes(source, start, end, this.b, this.n);
    this.n += end - start;
  }

  /** Appends a copy of the contents from `start` to `end`. */
  copyWritten(start: number, end: number): void {
    this.room(end - start);
    copyBytes(this.b, start, end, this.b, this.n);
    this.n += end - start;
  }

  /** Reverses the order of everything from `start` on, for a descending field. */
  invert(start: number): void {
    const b = this.b;
    for (let i = start; i < this.n; i++) b[i] = ~b[i]!;
  }

  /** A missing field is encoded as null. */
  value(v: BsonValue | undefined): void {
    this.room(24);
    if (v === undefined) {
      this.b[this.n++] = CanonicalType.null;
      return;
    }
    const cls = classOf(v.type);
    this.b[this.n++] = cls;
    this.payload(cls, v);
  }

  private payload(cls: number, v: BsonValue): void {
    const { bytes, start, end } = v;
    switch (cls) {
      case CanonicalType.number:
        return this.number(v);
      case CanonicalType.string:
        return this.text(bytes, start + 4, end - 1);
      case CanonicalType.object:
      case CanonicalType.array:
        return this.fields(v, cls === CanonicalType.object);
      case CanonicalType.binary:
        this.room(end - start);
        this.b.writeUInt32BE(i32(bytes, start), this.n);
        this.n += 4;
        return this.bytes(bytes, start + 4, end);
      case CanonicalType.date:
        this.b.writeBigInt64BE(bytes.readBigInt64LE(start), this.n);
        this.b[this.n]! ^= 0x80;
        this.n += 8;
        return;
      default:
        return this.bytes(bytes, start, end);
    }
  }

  private text(source: Buffer, start: number, end: number): void {
    this.room((end - start) * 2 + 2);
    const b = this.b;
    let n = this.n;
    if (end - start > shortBytes && !hasZero(source, start, end)) n += source.copy(b, n, start, end);
    else
      for (let i = start; i < end; i++) {
        const byte = source[i]!;
        b[n++] = byte;
        if (byte === 0) b[n++] = 0xff;
      }
    b[n++] = 0;
    b[n++] = 1;
    this.n = n;
  }

  private fields(v: BsonValue, named: boolean): void {
    const r = new FieldReader(v);
    while (r.next()) {
      if (named) {
        this.room(1);
        this.b[this.n++] = classOf(r.type);
        const name = r.nameBytes;
        this.text(name, 0, name.length);
        this.room(24);
        this.payload(classOf(r.type), r.value);
      } else {
        this.value(r.value);
      }
    }
    this.room(1);
    this.b[this.n++] = 0;
  }

  private number(v: BsonValue): void {
    const x = numberOf(v);
    if (v.type !== BsonType.long || Number.isSafeInteger(x)) return this.double(x, 0);
    const exact = longOf(v);
    const floor = BigInt(x) > exact ? nextDown(x) : x;
    this.double(floor, Number(exact - BigInt(floor)));
  }

  private double(x: number, rest: number): void {
    const b = this.b;
    const n = this.n;
    if (Number.isNaN(x)) {
      b.fill(0, n, n + 9);
      this.n += 9;
      return;
    }
    b.writeDoubleBE(x === 0 ? 0 : x, n);
    if (b[n]! & 0x80) for (let i = n; i < n + 8; i++) b[i] = ~b[i]!;
    else b[n]! |= 0x80;
    this.n += 8;
    if (rest === 0) {
      this.b[this.n++] = 0;
      return;
    }
    this.b[this.n++] = 1;
    this.n = this.b.writeUInt16BE(rest, this.n);
  }
}

const scratch = new DataView(new ArrayBuffer(8));

/** The next double below x. Requires that x is neither zero nor infinite. */
function nextDown(x: number): number {
  scratch.setFloat64(0, x);
  scratch.setBigInt64(0, scratch.getBigInt64(0) + (x > 0 ? -1n : 1n));
  return scratch.getFloat64(0);
}

function hasZero(source: Buffer, start: number, end: number): boolean {
  const zero = source.indexOf(0, start);
  return zero >= 0 && zero < end;
}

const writer = new KeyWriter();

/** The encoding of a single value. */
export function encodeValue(v: BsonValue | undefined): Buffer {
  writer.reset();
  writer.value(v);
  return writer.take();
}

/** The key with reversed order, for a descending field. */
export function inverted(key: Buffer): Buffer {
  const out = Buffer.allocUnsafe(key.length);
  for (let i = 0; i < key.length; i++) out[i] = ~key[i]!;
  return out;
}

/** The smallest key above all keys with this prefix. */
export function after(prefix: Buffer): Buffer {
  let n = prefix.length;
  while (n > 0 && prefix[n - 1] === 0xff) n--;
  const out = Buffer.from(prefix.subarray(0, n));
  if (n > 0) out[n - 1]!++;
  return out;
}
