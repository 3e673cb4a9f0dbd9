import { ObjectId } from 'bson';
import { T } from './types';
import { Val } from './value';

const none = Buffer.alloc(0);

/** Constructors of single values, for values that the server computes. */
export const NULL = new Val(T.NULL, none, 0, 0);
export const UNDEFINED = new Val(T.UNDEFINED, none, 0, 0);
export const TRUE = new Val(T.BOOL, Buffer.from([1]), 0, 1);
export const FALSE = new Val(T.BOOL, Buffer.from([0]), 0, 1);
export const bool = (x: boolean): Val => (x ? TRUE : FALSE);

export function int(x: number): Val {
  const b = Buffer.allocUnsafe(4);
  b.writeInt32LE(x);
  return new Val(T.INT, b, 0, 4);
}

export function long(x: bigint): Val {
  const b = Buffer.allocUnsafe(8);
  b.writeBigInt64LE(x);
  return new Val(T.LONG, b, 0, 8);
}

export function double(x: number): Val {
  const b = Buffer.allocUnsafe(8);
  b.writeDoubleLE(x);
  return new Val(T.DOUBLE, b, 0, 8);
}

export function date(ms: number): Val {
  const b = Buffer.allocUnsafe(8);
  b.writeBigInt64LE(BigInt(ms));
  return new Val(T.DATE, b, 0, 8);
}

export function timestamp(seconds: number, increment: number): Val {
  const b = Buffer.allocUnsafe(8);
  b.writeUInt32LE(increment >>> 0, 0);
  b.writeUInt32LE(seconds >>> 0, 4);
  return new Val(T.TIMESTAMP, b, 0, 8);
}

export function string(s: string): Val {
  const n = Buffer.byteLength(s);
  const b = Buffer.allocUnsafe(n + 5);
  b.writeInt32LE(n + 1);
  b.write(s, 4);
  b[n + 4] = 0;
  return new Val(T.STRING, b, 0, n + 5);
}

export function objectId(): Val {
  const b = Buffer.from(new ObjectId().id);
  return new Val(T.OBJECT_ID, b, 0, 12);
}
