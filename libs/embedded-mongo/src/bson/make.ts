import { ObjectId } from 'bson';
import { BsonType } from './types';
import { BsonValue } from './value';

const none = Buffer.alloc(0);

/** Constructors of single values, for values that the server computes. */
export const nullValue = new BsonValue(BsonType.null, none, 0, 0);
export const undefinedValue = new BsonValue(BsonType.undefined, none, 0, 0);
export const trueValue = new BsonValue(BsonType.bool, Buffer.from([1]), 0, 1);
export const falseValue = new BsonValue(BsonType.bool, Buffer.from([0]), 0, 1);

export function int(x: number): BsonValue {
  const b = Buffer.allocUnsafe(4);
  b.writeInt32LE(x);
  return new BsonValue(BsonType.int, b, 0, 4);
}

export function long(x: bigint): BsonValue {
  const b = Buffer.allocUnsafe(8);
  b.writeBigInt64LE(x);
  return new BsonValue(BsonType.long, b, 0, 8);
}

export function double(x: number): BsonValue {
  const b = Buffer.allocUnsafe(8);
  b.writeDoubleLE(x);
  return new BsonValue(BsonType.double, b, 0, 8);
}

export function date(ms: number): BsonValue {
  const b = Buffer.allocUnsafe(8);
  b.writeBigInt64LE(BigInt(ms));
  return new BsonValue(BsonType.date, b, 0, 8);
}

export function string(s: string): BsonValue {
  const n = Buffer.byteLength(s);
  const b = Buffer.allocUnsafe(n + 5);
  b.writeInt32LE(n + 1);
  b.write(s, 4);
  b[n + 4] = 0;
  return new BsonValue(BsonType.string, b, 0, n + 5);
}

export function objectId(): BsonValue {
  const b = Buffer.from(new ObjectId().id);
  return new BsonValue(BsonType.objectId, b, 0, 12);
}
